import type { Clock } from "#kit/base/clock";
import { uptimeMs } from "#kit/reconcile/uptime";
import { LONG_AGO } from "../../../core/planner/node/grant.ts";
import { startTimer } from "./timer.ts";

/**
 * Permission to pass on what engines answer; the agent grants it again and again. The clock is read for each batch of
 * replies, so that a process that was stopped finds its lease expired before it passes on anything.
 */
export class Lease {
  /** True from the moment at which this process noticed that the lease ran out. */
  expired = true;
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  #waiting: (() => void)[] = [];
  #untilMs = LONG_AGO;
  #cancelCheck: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Reads the clock: true when a reply that is here now may be passed on. */
  holds(): boolean {
    if (this.expired) return false;
    if (uptimeMs() < this.#untilMs) return true;
    this.#expire();
    return false;
  }

  /** Allows replies until then, in milliseconds of uptime; all that wait for the lease go on. */
  grant(untilMs: number): void {
    const now = uptimeMs();
    this.#untilMs = untilMs;
    if (now >= untilMs) {
      this.#expire();
      return;
    }
    this.#checkIn(untilMs - now);
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
      if (this.holds()) this.#checkIn(this.#untilMs - uptimeMs());
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
