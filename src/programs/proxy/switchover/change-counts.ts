import type { Counters } from "../limits/counters.ts";

/** What changes of primary, and times without one, cost the clients of an endpoint. */
export class ChangeCounts {
  /** When clients were last held, or there was last no primary that could be reached, by `performance.now`. */
  heldUntil = 0;
  readonly #counters: ChangeCounters;
  #hasServed = false;

  constructor(counters: ChangeCounters) {
    this.#counters = counters;
  }

  /** A hold has ended. */
  held(ms: number): void {
    this.heldUntil = performance.now();
    this.#counters.holds.add(ms / 1000);
  }

  /** A primary can be reached, after `ms` without one; undefined: that is nothing new. What a hold covers is counted with it. */
  reached(ms: number | undefined, isHeld: boolean): void {
    if (ms === undefined) return;
    this.heldUntil = performance.now();
    if (this.#hasServed && !isHeld) this.#counters.outages.add(ms / 1000);
    this.#hasServed = true;
  }

  /** Requests go to another primary from now on. */
  moved(isHeld: boolean): void {
    if (!this.#hasServed) return;
    if (isHeld) this.#counters.changes.switchovers++;
    else this.#counters.changes.failovers++;
  }
}

type ChangeCounters = Pick<Counters, "holds" | "outages" | "changes">;
