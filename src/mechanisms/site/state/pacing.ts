import type { Clock } from "#kit/base/clock";

/**
 * Asks an engine questions so that all of them together take no more than a share of its time: behind each, it is left alone for longer than it was
 * busy with it.
 */
export class Pacer {
  readonly #options: PacingOptions;
  readonly #share: number;
  /** Until then the engine is left alone by all that does not hurry. */
  #restsUntilMs = 0;

  constructor(options: PacingOptions, share: number) {
    this.#options = options;
    this.#share = share;
  }

  /** Pauses for all that was asked before, too. */
  readonly unhurried: Pacing = async (question) => {
    const { answer } = await this.#ask(question);
    await this.#pause(this.#restsUntilMs - this.#options.clock.uptimeMs());
    return answer;
  };

  /** For a few keys that somebody waits for: it takes a quarter of the time, and what does not hurry rests for it. */
  readonly hurried: Pacing = async (question) => {
    const { answer, tookMs } = await this.#ask(question);
    await this.#pause(HURRIED_PAUSE * tookMs);
    return answer;
  };

  async #ask<T>(question: () => Promise<TimedAnswer<T>>): Promise<TimedAnswer<T>> {
    const timed = await question();
    const now = this.#options.clock.uptimeMs();
    const restMs = timed.tookMs * (1 / this.#share - 1);
    this.#restsUntilMs = Math.min(Math.max(now, this.#restsUntilMs) + restMs, now + MOST_REST_MS);
    return timed;
  }

  async #pause(ms: number): Promise<void> {
    const { clock, signal } = this.#options;
    // aborted: who asks looks at the signal
    await clock.sleep(Math.min(Math.max(1, ms), MOST_PAUSE_MS), signal).catch(() => undefined);
  }
}

/** Asks a question, and leaves the engine alone behind it. */
export type Pacing = <T>(question: () => Promise<TimedAnswer<T>>) => Promise<T>;

/** An answer, with the time that the engine was busy with it. */
export interface TimedAnswer<T> {
  readonly answer: T;
  readonly tookMs: number;
}

interface PacingOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What is put off is bounded: an engine that is asked in a hurry all the time is walked through, too. */
const MOST_REST_MS = 10_000;
const MOST_PAUSE_MS = 1_000;
/** So many times as long as a question that hurries took. */
const HURRIED_PAUSE = 3;
