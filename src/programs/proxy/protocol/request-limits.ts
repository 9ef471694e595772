/** Bounds of what a client may send, so that no client can exhaust the proxy. */
export const REQUEST_LIMITS = {
  /** A request of more bytes is refused; one string may be as long as engines allow. */
  bytes: 600 * 2 ** 20,
  string: 512 * 2 ** 20,
  strings: 2 ** 20,
  line: 65_536,
  /** A larger request is not collected: it flows through a connection of its own. Smaller ones can be sent again. */
  collectedBytes: 2 ** 20,
  /** Where there are several shards, a larger request is not split by its keys, and a key that is larger is refused. */
  splitBytes: 32 * 2 ** 20,
  /** A request of a client that has not authenticated: as engines allow for a string of it. All that may connect have 160 MiB so. */
  guestBytes: 16 * 1024,
} as const;
