import type { MemoryBudget, MemoryHolder } from "../limits/memory-budget.ts";

/** The beginning of a reply whose end has not arrived. */
export class CarriedReply implements MemoryHolder {
  readonly relieve: () => void;
  readonly #memory: MemoryBudget;
  #parts: Buffer[] = [];
  #bytes = 0;

  /** `overflows`: it takes more memory than there is. */
  constructor(memory: MemoryBudget, overflows: () => void) {
    this.#memory = memory;
    this.relieve = overflows;
  }

  get heldBytes(): number {
    return this.#bytes;
  }

  push(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
    this.#memory.note(this);
  }

  /** The whole reply, of which `tail` is the end; nothing is left. */
  join(tail: Buffer): Buffer {
    if (this.#bytes === 0) return tail;
    const whole = Buffer.concat([...this.#parts, tail]);
    this.drop();
    return whole;
  }

  drop(): void {
    this.#parts = [];
    this.#bytes = 0;
    this.#memory.forget(this);
  }
}
