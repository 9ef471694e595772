import type { Clock } from "../../../core/base/clock.ts";
import { LIMITS } from "../limits/limits.ts";
import { startTimer } from "../timing/timer.ts";
import type { Wire } from "../upstream/wire.ts";

/**
 * Finds clients that do not read their replies. A large reply may be queued for a moment, so progress counts: too much
 * queued and nothing read for a second, or far too much queued, passes the limit.
 */
export class OutputLimit {
  readonly #wire: Wire;
  readonly #clock: Clock;
  readonly #passed: () => void;
  #cancel: (() => void) | undefined;

  /** `passed` is called when the client must be cut. */
  constructor(wire: Wire, clock: Clock, passed: () => void) {
    this.#wire = wire;
    this.#clock = clock;
    this.#passed = passed;
  }

  /** To be called after each write. */
  check(): void {
    if (this.#wire.queuedBytes <= LIMITS.queuedBytes) return;
    if (this.#wire.queuedBytes > LIMITS.maxQueuedBytes) this.#passed();
    else if (this.#cancel === undefined) this.#watch(this.#wire.flushedBytes);
  }

  stop(): void {
    this.#cancel?.();
  }

  #watch(flushedBefore: number): void {
    this.#cancel = startTimer(this.#clock, PATIENCE_MS, () => {
      this.#cancel = undefined;
      if (this.#wire.queuedBytes <= LIMITS.queuedBytes) return;
      if (this.#wire.flushedBytes === flushedBefore) this.#passed();
      else this.#watch(this.#wire.flushedBytes);
    });
  }
}

const PATIENCE_MS = 1000;
