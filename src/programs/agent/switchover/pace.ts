import type { Clock } from "#kit/base/clock";

/**
 * Keeps what is asked of engines that serve clients to a share of their time: behind each question comes a pause as long as the question
 * took, and a longer one behind a question that took long, whatever the reason.
 */
export class Pace {
  readonly #clock: Pick<Clock, "uptimeMs" | "sleep">;
  readonly #signal: AbortSignal | undefined;

  constructor(clock: Pick<Clock, "uptimeMs" | "sleep">, signal?: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /** By the clock of the pauses. */
  nowMs(): number {
    return this.#clock.uptimeMs();
  }

  /** Between two looks at something that is about to change. */
  pause(): Promise<void> {
    return this.#clock.sleep(LEAST_MS, this.#signal);
  }

  /** The answer to a question, behind its pause. */
  async ask<T>(question: () => Promise<T>): Promise<T> {
    this.#signal?.throwIfAborted();
    const began = this.#clock.uptimeMs();
    const answer = await question();
    const tookMs = this.#clock.uptimeMs() - began;
    const pauseMs = tookMs < LONG_MS ? tookMs : tookMs * LONG_SHARE;
    await this.#clock.sleep(Math.min(Math.max(pauseMs, LEAST_MS), MOST_MS), this.#signal);
    return answer;
  }
}

const LEAST_MS = 1;
const MOST_MS = 10_000;
/** A question costs an engine some milliseconds. One that takes longer meets an engine or a machine that has no time for it. */
const LONG_MS = 50;
const LONG_SHARE = 4;
