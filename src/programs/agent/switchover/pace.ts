import type { Clock } from "#kit/base/clock";

/**
 * Limits questions to engines that serve clients to a share of their time: a pause follows each question, as long as the question took, and a
 * longer one when it took long, whatever the reason.
 */
export class Pace {
  readonly #clock: Pick<Clock, "uptimeMs" | "sleep">;
  readonly #signal: AbortSignal | undefined;

  constructor(clock: Pick<Clock, "uptimeMs" | "sleep">, signal?: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /** The present time by the clock of the pauses. */
  nowMs(): number {
    return this.#clock.uptimeMs();
  }

  /** Waits between two looks at something that is about to change. */
  pause(): Promise<void> {
    return this.#clock.sleep(LEAST_MS, this.#signal);
  }

  /** Asks a question, and resolves with the answer after the pause. */
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
