import { LIMITS } from "../limits/limits.ts";
import { OutputBlocks } from "./output-blocks.ts";

/** A client whose replies wait. */
export interface OutputHolder {
  /** The memory that they take. */
  readonly heldBytes: number;
  /** It holds more than any other, and all together hold too much: cut it. */
  relieve(): void;
}

/** The memory in which replies wait for clients of one process, of all databases: together they have one limit. */
export class OutputBudget {
  readonly blocks = new OutputBlocks();
  readonly #noted = new Map<OutputHolder, number>();
  #total = 0;

  /** To be called whenever a client holds more, or less. */
  note(holder: OutputHolder): void {
    this.#set(holder, holder.heldBytes);
    if (this.#total > LIMITS.allHeldBytes) this.#relieve();
  }

  /** Nothing waits for it any more. */
  forget(holder: OutputHolder): void {
    this.#set(holder, 0);
  }

  /** Cuts clients until the others have room, the one that holds the most first. */
  #relieve(): void {
    while (this.#total > LIMITS.allHeldBytes) {
      const [heaviest] = [...this.#noted].reduce((most, one) => (one[1] > most[1] ? one : most));
      this.forget(heaviest);
      heaviest.relieve();
    }
  }

  #set(holder: OutputHolder, bytes: number): void {
    const before = this.#noted.get(holder) ?? 0;
    if (bytes === before) return;
    this.#total += bytes - before;
    if (bytes === 0) this.#noted.delete(holder);
    else this.#noted.set(holder, bytes);
  }
}
