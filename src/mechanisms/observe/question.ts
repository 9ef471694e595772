import type { Clock } from "#kit/base/clock";

/** For the answer of what was silent the last time, in milliseconds. */
const SOON_MS = 100;

/**
 * A question to something that may hang. A target that was silent the last time is asked once for all callers, and counts as still silent after a
 * short time, while that question goes on: a caller that asks about everything on one node must not wait as long for each thing.
 */
export class Question<Answer> {
  readonly #ask: () => Promise<Answer>;
  readonly #isSilence: (answer: Answer) => boolean;
  readonly #clock: Pick<Clock, "sleep">;
  /** The last answer, when it was silence. */
  #silence: { readonly answer: Answer } | undefined;
  #asking: Promise<Answer> | undefined;

  constructor(ask: () => Promise<Answer>, isSilence: (answer: Answer) => boolean, clock: Pick<Clock, "sleep">) {
    this.#ask = ask;
    this.#isSilence = isSilence;
    this.#clock = clock;
  }

  ask(): Promise<Answer> {
    const silence = this.#silence;
    if (silence === undefined) return this.#once();
    const asking = (this.#asking ??= this.#once().finally(() => {
      this.#asking = undefined;
    }));
    return Promise.race([asking, this.#clock.sleep(SOON_MS).then(() => silence.answer)]);
  }

  async #once(): Promise<Answer> {
    const answer = await this.#ask();
    this.#silence = this.#isSilence(answer) ? { answer } : undefined;
    return answer;
  }
}
