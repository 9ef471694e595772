import type { Clock } from "../../../core/base/clock.ts";
import { hasCome, LONG_AGO } from "../../../core/base/instant.ts";
import type { Instant } from "../../../core/base/instant.ts";
import { instantNow } from "../../../mechanisms/reconcile/instant.ts";
import { after } from "./timer.ts";

/**
 * For how long this proxy may pass on what engines answer, as its agent allows it again and again. A process that stood
 * still finds it run out before it passes on anything: the clocks are read for each batch of replies.
 */
export class Lease {
  /** It ran out, as far as anybody has noticed. */
  lapsed = true;
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  #waiting: (() => void)[] = [];
  #until: Instant = LONG_AGO;
  #cancelEnd: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Reads the clocks: whether a reply that is here now may be passed on. */
  holds(): boolean {
    if (this.lapsed) return false;
    if (!hasCome(this.#until, instantNow())) return true;
    this.#lapse();
    return false;
  }

  /** Allows replies until then, and lets everybody go on who waits for that. */
  grant(until: Instant): void {
    const now = instantNow();
    this.#until = until;
    if (hasCome(until, now)) {
      this.#lapse();
      return;
    }
    this.#lookAgainIn(until.steadyMs - now.steadyMs);
    if (!this.lapsed) return;
    this.lapsed = false;
    for (const goOn of this.#waiting.splice(0)) goOn();
    this.#tell();
  }

  /** Calls back once, when it holds again. */
  whenHeldAgain(goOn: () => void): void {
    this.#waiting.push(goOn);
  }

  /** Calls back when it has lapsed and when it holds again; the answer ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** So that it is noticed also when nothing arrives. */
  #lookAgainIn(ms: number): void {
    this.#cancelEnd();
    this.#cancelEnd = after(this.#clock, Math.min(ms, LONGEST_LOOK_MS), () => {
      if (this.holds()) this.#lookAgainIn(this.#until.steadyMs - instantNow().steadyMs);
    });
  }

  #lapse(): void {
    if (this.lapsed) return;
    this.lapsed = true;
    this.#tell();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Timers take no more than 24 days. */
const LONGEST_LOOK_MS = 60_000;
