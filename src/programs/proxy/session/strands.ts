import { MOST_AT_ONCE, type FoundRequests } from "./found-requests.ts";

/** Requests by their shards: those of one shard are a strand. */
export class Strands {
  /** How many strands there are. */
  count = 0;
  /** Of each strand: its first request. */
  readonly heads = new Uint16Array(MOST_STRANDS);
  /** Of each request: its strand, and the next request of that; the number of all requests when there is none. */
  readonly of = new Uint8Array(MOST_AT_ONCE);
  readonly nexts = new Uint16Array(MOST_AT_ONCE);
  /** Of each strand: the last request so far. */
  readonly #tails = new Uint16Array(MOST_STRANDS);

  /** Sorts these requests; false when they are of too many shards. */
  arrange({ count, shards }: FoundRequests): boolean {
    this.count = 0;
    let at = 0;
    for (; at < count; at++) {
      const shard = shards[at] ?? 0;
      const known = STRAND_OF[shard] ?? 0;
      const strand = known > 0 ? known - 1 : this.count;
      if (strand === MOST_STRANDS) break;
      if (known > 0) this.nexts[this.#tails[strand] ?? 0] = at;
      else {
        this.count++;
        this.heads[strand] = at;
        STRAND_OF[shard] = strand + 1;
      }
      this.of[at] = strand;
      this.nexts[at] = count;
      this.#tails[strand] = at;
    }
    for (let done = 0; done < at; done++) STRAND_OF[shards[done] ?? 0] = 0;
    return at === count;
  }
}

const MOST_STRANDS = 32;
/** By the place of a shard, while requests are sorted: its strand, counted from 1; 0 when it has none. */
const STRAND_OF = new Uint8Array(2 ** 16);
