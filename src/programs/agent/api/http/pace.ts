import type { Clock } from "#kit/base/clock";

/** How fast things may follow each other: so many at once, and then one in each period, in milliseconds. */
export interface PaceLimits {
  readonly burst: number;
  readonly periodMs: number;
}

/** Counts what costs others something and the caller nothing. */
export class Throttle {
  readonly #clock: Clock;
  readonly #limits: PaceLimits;
  #left: number;
  #since: number;

  constructor(clock: Clock, limits: PaceLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#left = limits.burst;
    this.#since = clock.uptimeMs();
  }

  /** How long the next one has to wait, in milliseconds. */
  get waitMs(): number {
    this.#refill();
    return this.#left >= 1 ? 0 : Math.ceil((1 - this.#left) * this.#limits.periodMs);
  }

  /** The pace is as a new one: nothing has to be known of what was before. */
  get isRested(): boolean {
    this.#refill();
    return this.#left >= this.#limits.burst;
  }

  /** One was done. */
  spend(): void {
    this.#refill();
    this.#left = Math.max(0, this.#left - 1);
  }

  #refill(): void {
    const now = this.#clock.uptimeMs();
    this.#left = Math.min(this.#limits.burst, this.#left + (now - this.#since) / this.#limits.periodMs);
    this.#since = now;
  }
}
