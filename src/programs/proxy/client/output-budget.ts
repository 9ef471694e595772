import { LIMITS } from "../limits/limits.ts";

/** A client whose replies wait. */
export interface OutputHolder {
  readonly queuedBytes: number;
  /** It holds more than any other, and all together hold too much: cut it. */
  relieve(): void;
}

/** The replies that wait for clients of one process, of all databases: together they have one limit. */
export class OutputBudget {
  /** With the bytes as they were noted last: what a client has read since is found out when the limit is passed. */
  readonly #noted = new Map<OutputHolder, number>();
  #total = 0;

  note(holder: OutputHolder): void {
    this.#set(holder, holder.queuedBytes);
    if (this.#total > LIMITS.allQueuedBytes) this.#relieve();
  }

  /** Nothing waits for it any more. */
  forget(holder: OutputHolder): void {
    this.#set(holder, 0);
  }

  /** Cuts clients until the others have room, the one for which most waits first. */
  #relieve(): void {
    for (const holder of this.#noted.keys()) this.#set(holder, holder.queuedBytes);
    while (this.#total > LIMITS.allQueuedBytes) {
      const [heaviest] = [...this.#noted].reduce((most, one) => (one[1] > most[1] ? one : most));
      this.forget(heaviest);
      heaviest.relieve();
    }
  }

  #set(holder: OutputHolder, bytes: number): void {
    this.#total += bytes - (this.#noted.get(holder) ?? 0);
    if (bytes === 0) this.#noted.delete(holder);
    else this.#noted.set(holder, bytes);
  }
}
