import type { Clock } from "../../../core/base/clock.ts";
import { LIMITS } from "../limits/limits.ts";
import { after } from "../timing/timer.ts";
import type { Wire } from "../upstream/wire.ts";

/**
 * Finds clients that do not take their replies. A large reply may stand in the queue for a moment, so what counts is
 * whether the client takes anything: too much queued and nothing taken for a while, or far too much, is the end.
 */
export class OutputLimit {
  readonly #wire: Wire;
  readonly #clock: Clock;
  readonly #passed: () => void;
  #cancel: (() => void) | undefined;

  constructor(wire: Wire, clock: Clock, passed: () => void) {
    this.#wire = wire;
    this.#clock = clock;
    this.#passed = passed;
  }

  /** To be called after each write. */
  check(): void {
    if (this.#wire.queued <= LIMITS.queuedBytes) return;
    if (this.#wire.queued > LIMITS.mostQueuedBytes) this.#passed();
    else if (this.#cancel === undefined) this.#watch(this.#wire.taken);
  }

  stop(): void {
    this.#cancel?.();
  }

  #watch(takenBefore: number): void {
    this.#cancel = after(this.#clock, PATIENCE_MS, () => {
      this.#cancel = undefined;
      if (this.#wire.queued <= LIMITS.queuedBytes) return;
      if (this.#wire.taken === takenBefore) this.#passed();
      else this.#watch(this.#wire.taken);
    });
  }
}

const PATIENCE_MS = 1000;
