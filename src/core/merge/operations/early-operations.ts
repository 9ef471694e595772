import type { CodedOperation } from "./operation-codec.ts";
import { coversAll, seqOf, type Dot, type VersionVector } from "./version-vector.ts";

/** Operations that came before one that they follow: so many bytes at most. */
export class EarlyOperations {
  readonly #most: number;
  readonly #origins = new Map<number, Map<number, CodedOperation>>();
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Keeps an operation until it is taken; false when there is no room for it, so that it has to come again. */
  add(operation: CodedOperation): boolean {
    const { origin, seq } = operation.dot;
    if (this.#origins.get(origin)?.has(seq) === true) return true;
    if (this.#size + sizeOf(operation) > this.#most) return false;
    this.restore(operation);
    return true;
  }

  /** Keeps an operation that was saved with the data, for which there may be no other copy: however many these are. */
  restore(operation: CodedOperation): void {
    const { origin, seq } = operation.dot;
    const queue = this.#origins.get(origin) ?? new Map<number, CodedOperation>();
    if (!queue.has(seq)) this.#size += sizeOf(operation);
    queue.set(seq, operation);
    this.#origins.set(origin, queue);
  }

  /** Drops the operations in `received`. */
  drop(received: VersionVector): void {
    for (const [origin, queue] of this.#origins)
      for (const [seq, operation] of queue) if (seq <= seqOf(received, origin)) this.#remove(origin, queue, operation);
  }

  /** Drops the operation, if it is kept. */
  remove({ origin, seq }: Dot): void {
    const queue = this.#origins.get(origin);
    const operation = queue?.get(seq);
    if (queue !== undefined && operation !== undefined) this.#remove(origin, queue, operation);
  }

  /** Whose operations wait. */
  origins(): Iterable<number> {
    return this.#origins.keys();
  }

  all(): readonly CodedOperation[] {
    return [...this.#origins.values()].flatMap((queue) => [...queue.values()]);
  }

  /** Takes out an operation that is next in order; undefined when there is none. */
  takeReady(received: VersionVector): CodedOperation | undefined {
    for (const [origin, queue] of this.#origins) {
      const next = queue.get(seqOf(received, origin) + 1);
      if (next === undefined || !isNextInOrder(next, received)) continue;
      this.#remove(origin, queue, next);
      return next;
    }
    return undefined;
  }

  #remove(origin: number, queue: Map<number, CodedOperation>, operation: CodedOperation): void {
    queue.delete(operation.dot.seq);
    this.#size -= sizeOf(operation);
    if (queue.size === 0) this.#origins.delete(origin);
  }
}

/** What it takes in memory: its bytes, what they were decoded to, and the objects of a small one. */
function sizeOf({ bytes }: CodedOperation): number {
  return 2 * bytes.length + 500;
}

/** True of an operation that follows nothing but what was received, and is the next one of its origin. */
export function isNextInOrder({ dot, seen }: CodedOperation, received: VersionVector): boolean {
  return dot.seq === seqOf(received, dot.origin) + 1 && coversAll(received, seen);
}
