import type { Clock } from "../../../core/base/clock.ts";
import { hasCome, LONG_AGO } from "../../../core/base/instant.ts";
import type { Instant } from "../../../core/base/instant.ts";
import { instantNow } from "../../../mechanisms/reconcile/instant.ts";
import { startTimer } from "./timer.ts";

/**
 * Permission to pass on what engines answer; the agent grants it again and again. The clocks are read for each batch of
 * replies, so that a process that was stopped finds its lease expired before it passes on anything.
 */
export class Lease {
  /** True from the moment at which this process noticed that the lease ran out. */
  expired = true;
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  #waiting: (() => void)[] = [];
  #until: Instant = LONG_AGO;
  #cancelCheck: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Reads the clocks: true when a reply that is here now may be passed on. */
  holds(): boolean {
    if (this.expired) return false;
    if (!hasCome(this.#until, instantNow())) return true;
    this.#expire();
    return false;
  }

  /** Allows replies until then; all that wait for the lease go on. */
  grant(until: Instant): void {
    const now = instantNow();
    this.#until = until;
    if (hasCome(until, now)) {
      this.#expire();
      return;
    }
    this.#checkIn(until.steadyMs - now.steadyMs);
    if (!this.expired) return;
    this.expired = false;
    for (const resume of this.#waiting.splice(0)) resume();
    this.#notify();
  }

  /** Calls back once, when the lease holds again. */
  whenRenewed(resume: () => void): void {
    this.#waiting.push(resume);
  }

  /** Calls back when the lease has expired and when it holds again; the returned function unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Finds the end of the lease also when no reply arrives. */
  #checkIn(ms: number): void {
    this.#cancelCheck();
    this.#cancelCheck = startTimer(this.#clock, Math.min(ms, MAX_TIMER_MS), () => {
      if (this.holds()) this.#checkIn(this.#until.steadyMs - instantNow().steadyMs);
    });
  }

  #expire(): void {
    if (this.expired) return;
    this.expired = true;
    this.#notify();
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Node timers overflow after 24 days; a minute is far below that. */
const MAX_TIMER_MS = 60_000;
