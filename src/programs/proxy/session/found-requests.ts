/** Requests of one client that lie behind each other, each about a key of one shard. */
export class FoundRequests {
  count = 0;
  /** Where the first one begins, and the last one ends. */
  start = 0;
  end = 0;
  /** How often a request is of another shard than the one before it, the first one counted. */
  changes = 0;
  /** Of each request: the place of its shard, and where it ends. */
  readonly shards = new Uint16Array(MOST_AT_ONCE);
  readonly ends = new Uint32Array(MOST_AT_ONCE);

  /** Forgets those before; the first one begins at `start`. */
  begin(start: number): void {
    this.count = this.changes = 0;
    this.start = this.end = start;
  }

  /** Another one of this shard ends here; there must be room for it. */
  add(shard: number, end: number): void {
    const at = this.count++;
    if (at === 0 || this.shards[at - 1] !== shard) this.changes++;
    this.shards[at] = shard;
    this.ends[at] = end;
    this.end = end;
  }
}

/** So many requests are looked at before they are sent. */
export const MOST_AT_ONCE = 256;
