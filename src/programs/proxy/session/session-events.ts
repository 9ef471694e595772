/** What happens to a session, for its endpoint. */
export interface SessionEvents {
  /** No request of this client is at an engine. */
  settled(): void;
  /** The connection is gone. */
  ended(): void;
}
