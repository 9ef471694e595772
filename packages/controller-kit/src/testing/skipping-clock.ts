import type { Clock } from "../base/clock.ts";

/** A clock that skips every sleep: its time moves on at once. For tests in which the length of a pause does not matter. */
export class SkippingClock implements Clock {
  #now = new Date("2026-01-01T00:00:00Z").getTime();

  now(): Date {
    return new Date(this.#now);
  }

  uptimeMs(): number {
    return this.#now;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.#now += ms;
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  }
}
