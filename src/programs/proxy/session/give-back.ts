/** What a client waits for, and the way back of a request. */
export interface ReturningWork {
  /** The client waits for a reply. */
  readonly hasPending: boolean;
  readonly crossing: {
    /** Takes back a request that shards were to answer that do not serve any more. */
    giveBack(request: Buffer): void;
  };
}
