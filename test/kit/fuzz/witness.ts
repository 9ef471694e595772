import type { RawClient } from "../engines/raw-client.ts";

/** What a client that does nothing but GET waited while others did what they liked, in milliseconds. */
export interface Waits {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

/** A client beside all others that asks one thing after the other. */
export class Witness {
  readonly #client: RawClient;
  readonly #mayBeRefused: boolean;
  readonly #waits: number[] = [];
  #isOver = false;

  /** `mayBeRefused`: it asks an engine itself, which answers nothing while it is left. */
  constructor(client: RawClient, { mayBeRefused = false } = {}) {
    this.#client = client;
    this.#mayBeRefused = mayBeRefused;
  }

  /** Asks for a key until it is ended; rejects when it gets another value. */
  async run(key: string, value: string): Promise<Waits> {
    while (!this.#isOver) {
      const began = performance.now();
      const answer = await this.#client.ask("GET", key);
      this.#waits.push(performance.now() - began);
      const isRefused = this.#mayBeRefused && String(answer).startsWith("-MASTERDOWN ");
      if (answer !== value && !isRefused) throw new Error(`the witness got ${String(answer)}`);
    }
    this.#client.close();
    const sorted = this.#waits.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return { count: sorted.length, p50: at(0.5), p99: at(0.99), longest: at(1) };
  }

  end(): void {
    this.#isOver = true;
  }
}
