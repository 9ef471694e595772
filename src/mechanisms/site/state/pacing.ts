import type { Clock } from "#kit/base/clock";

/** Asks questions so that they take no more than a share of the engine's time: behind each, it is left alone for longer than it was busy with it. */
export function paceQuestions({ clock, signal }: PacingOptions, share: number): Pacing {
  return async (question) => {
    const { answer, tookMs } = await question();
    const pauseMs = tookMs * (1 / share - 1);
    // aborted: who asks looks at the signal
    await clock.sleep(Math.min(Math.max(1, pauseMs), MOST_PAUSE_MS), signal).catch(() => undefined);
    return answer;
  };
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

const MOST_PAUSE_MS = 1_000;
