import type { Operation } from "./operation.ts";
import { coversAll, type VersionVector } from "./version-vector.ts";

/** Operations that came before one that they follow. */
export class EarlyOperations {
  readonly #origins = new Map<number, Map<number, Operation>>();

  /** Keeps an operation until it is taken; one that is kept already is ignored. */
  add(operation: Operation): void {
    const { origin, seq } = operation.dot;
    const queue = this.#origins.get(origin) ?? new Map<number, Operation>();
    queue.set(seq, operation);
    this.#origins.set(origin, queue);
  }

  /** Drops what this contains. */
  drop(received: VersionVector): void {
    for (const [origin, queue] of this.#origins) {
      for (const seq of queue.keys()) if (seq <= (received[origin] ?? 0)) queue.delete(seq);
      if (queue.size === 0) this.#origins.delete(origin);
    }
  }

  all(): readonly Operation[] {
    return [...this.#origins.values()].flatMap((queue) => [...queue.values()]);
  }

  /** One that follows nothing but what was received. */
  takeReady(received: VersionVector): Operation | undefined {
    for (const [origin, queue] of this.#origins) {
      const next = queue.get((received[origin] ?? 0) + 1);
      if (next === undefined || !coversAll(received, next.seen)) continue;
      queue.delete(next.dot.seq);
      if (queue.size === 0) this.#origins.delete(origin);
      return next;
    }
    return undefined;
  }
}
