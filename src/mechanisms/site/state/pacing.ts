import type { Clock } from "#kit/base/clock";

/** Asks questions so that they take no more than a share of the time: behind each, the engine is left alone for longer than it took. */
export function paceQuestions({ clock, signal }: PacingOptions, share: number): Pacing {
  return async (question) => {
    const began = clock.uptimeMs();
    const answer = await question();
    const pauseMs = (clock.uptimeMs() - began) * (1 / share - 1);
    // aborted: who asks looks at the signal
    await clock.sleep(Math.min(Math.max(1, pauseMs), MOST_PAUSE_MS), signal).catch(() => undefined);
    return answer;
  };
}

/** Asks a question, and leaves the engine alone behind it. */
export type Pacing = <T>(question: () => Promise<T>) => Promise<T>;

interface PacingOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const MOST_PAUSE_MS = 1_000;
