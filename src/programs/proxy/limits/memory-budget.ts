import { LIMITS } from "./limits.ts";
import { OutputBlocks } from "./output-blocks.ts";
import { OutputTurns } from "./output-turns.ts";

/** Why a holder has to give up, as the end of a sentence. */
export const OVER_BUDGET = `what waits for all clients takes more than ${LIMITS.allHeldBytes} bytes`;

/** What holds memory for others: a queue of replies, a reply or a request that is collected, scripts that are remembered. */
export interface MemoryHolder {
  readonly heldBytes: number;
  /** Called when it holds more than any other, and all together hold too much: it gives up what it holds. */
  relieve(): void;
}

/** The memory that holders of one kind have in a process, for the clients of all databases: together they have one limit. */
export class MemoryBudget {
  readonly #limitBytes: number;
  readonly blocks = new OutputBlocks();
  readonly turns = new OutputTurns();
  readonly #noted = new Map<MemoryHolder, number>();
  #total = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** To be called whenever a holder holds more, or less. */
  note(holder: MemoryHolder): void {
    this.#set(holder, holder.heldBytes);
    if (this.#total > this.#limitBytes) this.#relieve();
  }

  /** It holds nothing any more. */
  forget(holder: MemoryHolder): void {
    this.#set(holder, 0);
  }

  /** Relieves holders until the others have room, the one that holds the most first. */
  #relieve(): void {
    while (this.#total > this.#limitBytes) {
      const heaviest = this.#heaviest;
      if (heaviest === undefined) return;
      this.forget(heaviest);
      heaviest.relieve();
    }
  }

  get #heaviest(): MemoryHolder | undefined {
    let heaviest: MemoryHolder | undefined;
    let most = 0;
    for (const [holder, bytes] of this.#noted)
      if (bytes > most) {
        heaviest = holder;
        most = bytes;
      }
    return heaviest;
  }

  #set(holder: MemoryHolder, bytes: number): void {
    const before = this.#noted.get(holder) ?? 0;
    if (bytes === before) return;
    this.#total += bytes - before;
    if (bytes === 0) this.#noted.delete(holder);
    else this.#noted.set(holder, bytes);
  }
}
