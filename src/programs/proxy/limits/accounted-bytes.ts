import type { MemoryBudget, MemoryHolder } from "./memory-budget.ts";

/** What one holder has, said to the budget of the process when it has changed by more than a little. */
export class AccountedBytes implements MemoryHolder {
  readonly relieve: () => void;
  readonly #memory: MemoryBudget;
  #bytes = 0;
  #noted = 0;

  /** `relieve`: as of a `MemoryHolder`. */
  constructor(memory: MemoryBudget, relieve: () => void) {
    this.#memory = memory;
    this.relieve = relieve;
  }

  get heldBytes(): number {
    return this.#bytes;
  }

  /** It holds so much now. `relieve` may be called before this returns. */
  set(bytes: number): void {
    this.#bytes = bytes;
    if (bytes === this.#noted || (bytes > 0 && Math.abs(bytes - this.#noted) < A_LITTLE)) return;
    this.#noted = bytes;
    this.#memory.note(this);
  }
}

/** Below this, noting every request would cost more than it tells. */
const A_LITTLE = 4 * 1024;
