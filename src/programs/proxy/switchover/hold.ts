import type { Clock } from "#kit/base/clock";
import { startPatience } from "#kit/timing/patience";
import { startTimer } from "../timing/timer.ts";

/** A time during which no requests are taken from clients. It ends at its own deadline at the latest. */
export class Hold {
  readonly epoch: number;
  readonly #startedAt: number;
  readonly #cancelDeadline: () => void;
  readonly #busy = new Set<object>();
  #drained: ((drained: boolean) => void) | undefined;

  /** `expired` is called after `holdMs`, unless the hold ends before. */
  constructor(epoch: number, clock: Clock, holdMs: number, expired: () => void) {
    this.epoch = epoch;
    this.#startedAt = performance.now();
    this.#cancelDeadline = startTimer(clock, holdMs, expired);
  }

  get ageMs(): number {
    return performance.now() - this.#startedAt;
  }

  /**
   * Waits until each of these clients has settled: the milliseconds since the beginning, or undefined when not in time. Time in which this process
   * stood still does not count: replies may have come meanwhile. The end of the hold itself comes when it is due, whatever was seen.
   */
  async drain(busy: readonly object[], withinMs: number): Promise<number | undefined> {
    for (const client of busy) this.#busy.add(client);
    if (this.#busy.size === 0) return this.ageMs;
    const drained = await new Promise<boolean>((resolve) => {
      const cancel = startPatience(withinMs, () => {
        resolve(false);
      });
      this.#drained = (done) => {
        cancel();
        resolve(done);
      };
    });
    return drained ? this.ageMs : undefined;
  }

  /** No request of this client is at an engine. */
  settled(client: object): void {
    if (this.#busy.delete(client) && this.#busy.size === 0) this.#drained?.(true);
  }

  end(): void {
    this.#cancelDeadline();
    this.#drained?.(false);
  }
}
