import type { EncodedOperation } from "./operations/operation-codec.ts";
import type { SiteOptions } from "./site-options.ts";
import { compareTimestamps } from "./operations/timestamp.ts";
import { NOTHING, pairsOf, seqOf, type VersionVector } from "./operations/version-vector.ts";

/** Operations of all origins that another site may still lack. */
export class KeptOperations {
  readonly #options: Pick<SiteOptions, "origin" | "limits">;
  readonly #origins = new Map<number, Queue>();
  #bytes = 0;
  #confirmed = 0;
  /** Transfers that need everything from where they began. */
  #keepers = 0;

  /** `received`: all that was ever kept; `operations`: what of it is kept still, of each origin without a gap. */
  constructor(
    options: Pick<SiteOptions, "origin" | "limits">,
    received: VersionVector = NOTHING,
    operations: readonly EncodedOperation[] = [],
  ) {
    this.#options = options;
    for (const [origin, seq] of pairsOf(received)) this.#origins.set(origin, { first: seq + 1, operations: [] });
    for (const { dot } of operations) {
      const queue = this.#origins.get(dot.origin);
      if (queue !== undefined) queue.first = Math.min(queue.first, dot.seq);
    }
    for (const operation of operations) this.add(operation);
  }

  /** The next operation of its origin. */
  add({ dot, at, bytes }: EncodedOperation): void {
    const { origin, seq } = dot;
    const queue = this.#origins.get(origin) ?? { first: seq, operations: [] };
    queue.operations.push({ dot, at, bytes });
    this.#origins.set(origin, queue);
    this.#bytes += bytes.length;
    if (this.#bytes > this.#options.limits.keptBytes && this.#keepers === 0)
      for (const each of this.#origins.values()) this.#drop(each, Math.ceil(each.operations.length / 2));
  }

  /** The log has the own operations up to this number, as surely as the database keeps data: they may be sent. */
  confirm(seq: number): void {
    this.#confirmed = Math.max(this.#confirmed, seq);
  }

  /** Nothing is dropped until this is disposed, but what all sites have. */
  keepAll(): Disposable {
    this.#keepers += 1;
    return { [Symbol.dispose]: () => void (this.#keepers -= 1) };
  }

  /** Size of all that is kept, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** All of them, oldest first. */
  all(): readonly EncodedOperation[] {
    return this.#after(NOTHING, () => Infinity, Infinity);
  }

  /** Up to `limit` operations that a site lacks when it has only `received`, causes first; own operations once they are confirmed. */
  after(received: VersionVector, limit: number): readonly EncodedOperation[] {
    const givenOf = (origin: number): number => (origin === this.#options.origin ? this.#confirmed : Infinity);
    return this.#after(received, givenOf, limit);
  }

  /** The time of an operation is later than that of all it has seen. `givenOf`: up to which number operations of an origin are given. */
  #after(vector: VersionVector, givenOf: (origin: number) => number, limit: number): readonly EncodedOperation[] {
    const heads = [...this.#origins].map(([origin, { first, operations }]) => ({
      operations,
      next: Math.max(0, seqOf(vector, origin) + 1 - first),
      end: Math.min(operations.length, givenOf(origin) + 1 - first),
    }));
    const found: EncodedOperation[] = [];
    while (found.length < limit) {
      let best: EncodedOperation | undefined;
      let from: (typeof heads)[number] | undefined;
      for (const head of heads) {
        const each = head.next < head.end ? head.operations[head.next] : undefined;
        if (each === undefined || (best !== undefined && compareTimestamps(best.at, each.at) < 0)) continue;
        [best, from] = [each, head];
      }
      if (best === undefined || from === undefined) break;
      from.next += 1;
      found.push(best);
    }
    return found;
  }

  /** False when a site that has only the operations in `vector` lacks more than is kept. */
  reachesBack(vector: VersionVector): boolean {
    return [...this.#origins].every(([origin, { first }]) => seqOf(vector, origin) + 1 >= first);
  }

  /** The operations in `vector` came as a summary: nothing is kept of an origin that lacks some of them. */
  skip(vector: VersionVector): void {
    for (const [origin, seq] of pairsOf(vector)) {
      const queue = this.#origins.get(origin);
      if (queue !== undefined && seq < queue.first + queue.operations.length) continue;
      if (queue !== undefined) this.#drop(queue, queue.operations.length);
      this.#origins.set(origin, { first: seq + 1, operations: [] });
    }
  }

  /** Drops the operations in `vector`. */
  drop(vector: VersionVector): void {
    for (const [origin, queue] of this.#origins) {
      const count = Math.min(queue.operations.length, Math.max(0, seqOf(vector, origin) + 1 - queue.first));
      if (count > 0) this.#drop(queue, count);
    }
  }

  #drop(queue: Queue, count: number): void {
    for (const { bytes } of queue.operations.splice(0, count)) this.#bytes -= bytes.length;
    queue.first += count;
  }
}

interface Queue {
  /** Number of the first operation in it. */
  first: number;
  readonly operations: EncodedOperation[];
}
