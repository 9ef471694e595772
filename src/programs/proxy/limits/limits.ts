/** Bounds of one endpoint, so that no client can exhaust the proxy. */
export const LIMITS = {
  clients: 10_000,
  /** Connections to the engine that clients have for themselves. */
  pins: 2_000,
  /** Different pairs of protocol version and database. */
  places: 32,
  /** A client that has so many bytes of replies waiting and takes none of them is cut; at the second number in any case. */
  queuedBytes: 32 * 2 ** 20,
  mostQueuedBytes: 2 ** 30,
  /** A client's requests are not read while it has not taken so many bytes. */
  comfortableBytes: 2 ** 20,
  /** Requests of one client that may wait for replies. */
  inFlight: 10_000,
  /** Requests whose end has not arrived, of all clients together. */
  partialBytes: 2 ** 30,
  /** A larger request is not collected: it flows through a connection of its own. Smaller ones can be sent again. */
  collectedBytes: 2 ** 20,
  /** A request that has been arriving for so long is not waited for by a hold. */
  uploadMs: 60_000,
  /** A request of a client that has not authenticated. */
  guestBytes: 64 * 1024,
  transactionBytes: 64 * 2 ** 20,
} as const;

/** Numbers that sessions add to. */
export interface Counters {
  requests: number;
  cut: number;
  resent: number;
  holdsExpired: number;
  pins: number;
  partialBytes: number;
}
