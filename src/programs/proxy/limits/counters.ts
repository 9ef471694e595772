/** Numbers of one endpoint that its sessions add to. */
export interface Counters {
  requests: number;
  /** Connections that were ended because a limit was passed or the outcome of a request was unknown. */
  cut: number;
  /** Requests that were refused by one engine and sent again. */
  resent: number;
  holdsExpired: number;
  /** Connections to the engine that clients have for themselves now. */
  pins: number;
}

/** The numbers of a new endpoint. */
export function newCounters(): Counters {
  return { requests: 0, cut: 0, resent: 0, holdsExpired: 0, pins: 0 };
}
