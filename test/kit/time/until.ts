import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits until `condition` holds, asking every `everyMs`; fails with `what` after `withinMs`, also while `condition` gives no answer.
 * A question that takes long is asked less often, so that a wait leaves the machine to what it waits for.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  { withinMs = 10_000, everyMs = 5 } = {},
): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(late.reject, withinMs, new Error(`not within ${withinMs} ms: ${what}`));
  try {
    for (;;) {
      const askedAt = performance.now();
      if (await Promise.race([condition(), late.promise])) return;
      const pauseMs = Math.max(everyMs, pauseAfter(performance.now() - askedAt));
      await Promise.race([sleep(pauseMs), late.promise]);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** A fifth of the time at most goes to the question, and it is asked at least about twice a second. */
function pauseAfter(tookMs: number): number {
  return Math.min(tookMs * 4, LONGEST_PAUSE_MS);
}

const LONGEST_PAUSE_MS = 400;
