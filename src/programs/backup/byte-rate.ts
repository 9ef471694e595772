import type { Clock } from "#kit/base/clock";

/** Holds what passes to so many bytes a second, over all that share it. */
export class ByteRate {
  readonly #clock: Clock;
  readonly #perSecond: number;
  /** When what has passed would have passed at the rate, in milliseconds of uptime. */
  #dueAt = 0;

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
  }

  /** Resolves when that many bytes may pass. */
  async pass(bytes: number): Promise<void> {
    const now = this.#clock.uptimeMs();
    this.#dueAt = Math.max(now, this.#dueAt) + (bytes / this.#perSecond) * 1_000;
    const aheadMs = this.#dueAt - now;
    // a timer is no more exact than that
    if (aheadMs > SHORTEST_MS) await this.#clock.sleep(aheadMs);
  }
}

const SHORTEST_MS = 20;
