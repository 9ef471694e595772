import { MemoryBudget, type MemoryHolder } from "../../../src/programs/proxy/limits/memory-budget.ts";

/** The memory that holders have noted and not given back. */
export class NotedMemory extends MemoryBudget {
  readonly #held = new Map<MemoryHolder, number>();

  get heldBytes(): number {
    return [...this.#held.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  override note(holder: MemoryHolder): void {
    super.note(holder);
    this.#held.set(holder, holder.heldBytes);
  }
}
