import type { Clock } from "#kit/base/clock";
import { blockingTimeoutMs } from "../protocol/blocking-timeout.ts";
import { startTimer } from "../timing/timer.ts";
import type { PendingRequest } from "./pending-request.ts";

/** The wait that is limited. */
export interface LimitedWait {
  /** The request that the engine executes now, if that is a blocking command. */
  readonly blocking: () => PendingRequest | undefined;
  /** Asks the engine to end the wait as its timeout would. */
  readonly end: () => void;
}

/**
 * Ends the wait of a blocking command whose time is over and that the engine still has not answered. Engines forget the timeout of a
 * command that they had put off because writes were paused (from 7.2 on), and wait for longer when their date is set back.
 */
export class WaitLimit {
  readonly #clock: Clock;
  readonly #wait: LimitedWait;
  #watched: PendingRequest | undefined;
  #cancel: () => void = () => undefined;

  constructor(clock: Clock, wait: LimitedWait) {
    this.#clock = clock;
    this.#wait = wait;
  }

  /** A request was sent to the engine, or one was answered: the engine may have begun with another one. */
  note(): void {
    const pending = this.#wait.blocking();
    if (pending === this.#watched) return;
    this.stop();
    const timeoutMs = pending && blockingTimeoutMs(pending.request);
    if (timeoutMs === undefined) return;
    this.#watched = pending;
    // never early: the time counts from now, and where this process stands still then, it reads the answer before the second look
    this.#lookAfter(timeoutMs + GRACE_MS, () => {
      this.#lookAfter(LOOK_AGAIN_MS, () => {
        this.#end(FIRST_PAUSE_MS);
      });
    });
  }

  /** Nothing waits any more. */
  stop(): void {
    this.#cancel();
    this.#watched = undefined;
  }

  /** Ends the wait again and again, with growing pauses: while writes are paused an engine ends no wait. */
  #end(pauseMs: number): void {
    this.#wait.end();
    this.#lookAfter(pauseMs, () => {
      this.#end(Math.min(2 * pauseMs, LONGEST_PAUSE_MS));
    });
  }

  #lookAfter(ms: number, act: () => void): void {
    this.#cancel = startTimer(this.#clock, ms, () => {
      if (this.#watched !== undefined && this.#wait.blocking() === this.#watched) act();
    });
  }
}

const GRACE_MS = 500;
const LOOK_AGAIN_MS = 100;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;
