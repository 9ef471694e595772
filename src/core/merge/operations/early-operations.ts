import type { CodedOperation } from "./operation-codec.ts";
import { coversAll, seqOf, type VersionVector } from "./version-vector.ts";

/** Operations that came before one that they follow. */
export class EarlyOperations {
  readonly #origins = new Map<number, Map<number, CodedOperation>>();

  /** Keeps an operation until it is taken; one that is kept already is ignored. */
  add(operation: CodedOperation): void {
    const { origin, seq } = operation.dot;
    const queue = this.#origins.get(origin) ?? new Map<number, CodedOperation>();
    queue.set(seq, operation);
    this.#origins.set(origin, queue);
  }

  /** Drops the operations in `received`. */
  drop(received: VersionVector): void {
    for (const [origin, queue] of this.#origins) {
      for (const seq of queue.keys()) if (seq <= seqOf(received, origin)) queue.delete(seq);
      if (queue.size === 0) this.#origins.delete(origin);
    }
  }

  get isEmpty(): boolean {
    return this.#origins.size === 0;
  }

  all(): readonly CodedOperation[] {
    return [...this.#origins.values()].flatMap((queue) => [...queue.values()]);
  }

  /** Takes out an operation that is next in order; undefined when there is none. */
  takeReady(received: VersionVector): CodedOperation | undefined {
    for (const [origin, queue] of this.#origins) {
      const next = queue.get(seqOf(received, origin) + 1);
      if (next === undefined || !isNextInOrder(next, received)) continue;
      queue.delete(next.dot.seq);
      if (queue.size === 0) this.#origins.delete(origin);
      return next;
    }
    return undefined;
  }
}

/** True of an operation that follows nothing but what was received, and is the next one of its origin. */
export function isNextInOrder({ dot, seen }: CodedOperation, received: VersionVector): boolean {
  return dot.seq === seqOf(received, dot.origin) + 1 && coversAll(received, seen);
}
