import type { Clock } from "#kit/base/clock";

/** So many writes may come one after the other; then one in each period, in milliseconds. */
const BURST = 8;
const PERIOD_MS = 1_000;

/** How fast writes may follow each other that cost the whole cluster something and the caller nothing. */
export class WritePace {
  readonly #clock: Clock;
  #left = BURST;
  #since: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.uptimeMs();
  }

  /** How long the next write has to wait, in milliseconds. */
  get waitMs(): number {
    this.#refill();
    return this.#left >= 1 ? 0 : Math.ceil((1 - this.#left) * PERIOD_MS);
  }

  /** The pace is as a new one: nothing has to be known of the writes before. */
  get isRested(): boolean {
    this.#refill();
    return this.#left >= BURST;
  }

  /** A write was made. */
  spend(): void {
    this.#refill();
    this.#left = Math.max(0, this.#left - 1);
  }

  #refill(): void {
    const now = this.#clock.uptimeMs();
    this.#left = Math.min(BURST, this.#left + (now - this.#since) / PERIOD_MS);
    this.#since = now;
  }
}
