import { LIMITS } from "../limits/limits.ts";
import type { MemoryBudget, MemoryHolder } from "../limits/memory-budget.ts";

/**
 * What has arrived of a large request: until it is sent, its beginning; from then on what was sent, so that it can be sent again from its beginning,
 * or nothing once it passes its limit.
 */
export class KeptRequest implements MemoryHolder {
  readonly #memory: MemoryBudget;
  readonly #overflows: () => void;
  #chunks: Buffer[] | undefined = [];
  #bytes = 0;
  #isSent = false;

  /** `overflows`: what was not sent takes more memory than there is, and is not kept any more. */
  constructor(memory: MemoryBudget, overflows: () => void) {
    this.#memory = memory;
    this.#overflows = overflows;
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
    if (this.#isSent && this.#bytes > LIMITS.keptBytes) this.drop();
    else this.#memory.note(this);
  }

  /** Whether all of it so far has left the process. */
  set isSent(isSent: boolean) {
    this.#isSent = isSent;
  }

  /** Drops what is kept: a request that was sent goes on, and cannot be sent again. */
  relieve(): void {
    this.drop();
    if (!this.#isSent) this.#overflows();
  }

  drop(): void {
    this.#bytes = 0;
    this.#chunks = undefined;
    this.#memory.forget(this);
  }
}
