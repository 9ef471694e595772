/** Bounds of one endpoint, so that no client can exhaust the proxy. */
export const LIMITS = {
  clients: 10_000,
  /** TLS handshakes of an endpoint at once; each takes up to 100 KiB. */
  handshakes: 256,
  /** A client that is not through its handshake after so long is cut. */
  handshakeMs: 10_000,
  /** And so is one that does not go on with it, as others may wait for their turn. */
  handshakeTurnMs: 3_000,
  /** A client of a database with a password that has not logged in after so long is cut; libraries do so at once. */
  loginMs: 10_000,
  /** Connections to the engine that clients have for themselves. */
  pins: 2_000,
  /** Different pairs of protocol version and database. */
  settings: 32,
  /** Requests of one client that may wait for replies: others on its lane wait behind them, about a millisecond. */
  inFlight: 1_000,
  /** Nothing more is put on a connection to an engine while requests of so many bytes on it have no reply. */
  inFlightBytes: 8 * 2 ** 20,
  /** A client with so many bytes of replies queued is cut when it reads none of them for ten seconds. */
  queuedBytes: 32 * 2 ** 20,
  /**
   * The memory in which replies, and large requests, wait for all clients of the process; above it the client that holds the most is
   * cut, or its request can no more be sent again.
   */
  allHeldBytes: 128 * 2 ** 20,
  /** Scripts that are remembered for all databases of the process; above it the database with the most forgets the older half. */
  allScriptBytes: 32 * 2 ** 20,
  /** The requests of a client are not read while so many bytes of replies are queued for it. */
  congestedBytes: 2 ** 20,
  /** Requests of a client are sent behind those of another shard while their replies, when as large as its last ones, take no more. */
  expectedBytes: 8 * 2 ** 20,
  /** So much is read behind a blocking command whose client may leave, although it cannot be taken yet. */
  behindBlockingBytes: 2 ** 20,
  /** The memory that a small part of what a client has sent takes. */
  leastHeldBytes: 256,
  /** A move waits so long for a request that it cannot carry over; then the client is cut. */
  patienceMs: 60_000,
  /** A request is at an engine for long after this time: before it asks clients to wait, a move waits for its reply. */
  quietMs: 50,
  /** A large request is carried over by a move up to this size. */
  keptBytes: 32 * 2 ** 20,
  transactionBytes: 64 * 2 ** 20,
  /** The requests of a transaction that the proxy answers, and SELECT: the proxy keeps them until EXEC. */
  specialBytes: 16 * 2 ** 10,
} as const;
