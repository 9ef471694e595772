import { LIMITS } from "../limits/limits.ts";
import type { MemoryBudget, MemoryHolder } from "../limits/memory-budget.ts";

/** The part of a large request that was sent, so that it can be sent again from its beginning; nothing once it passes its limit. */
export class KeptRequest implements MemoryHolder {
  readonly #memory: MemoryBudget;
  #chunks: Buffer[] | undefined = [];
  #bytes = 0;

  constructor(memory: MemoryBudget) {
    this.#memory = memory;
  }

  /** All of it so far; undefined when it was too large to be kept. */
  get chunks(): readonly Buffer[] | undefined {
    return this.#chunks;
  }

  get heldBytes(): number {
    return this.#bytes;
  }

  add(bytes: Buffer): void {
    if (this.#chunks === undefined) return;
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes > LIMITS.keptBytes) this.drop();
    else this.#memory.note(this);
  }

  /** Drops what is kept: the request goes on, and cannot be sent again. */
  relieve(): void {
    this.drop();
  }

  drop(): void {
    this.#bytes = 0;
    this.#chunks = undefined;
    this.#memory.forget(this);
  }
}
