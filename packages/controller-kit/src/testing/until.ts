import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits until `condition` holds; fails with `what` when it does not within `withinMs`, or the allowance of a slow machine on top, also while
 * `condition` gives no answer. It asks every `everyMs`.
 * Without that, what takes long to answer is asked less often: a wait leaves the machine to what it waits for. What holds for a moment
 * alone, and would be missed then, needs `everyMs`.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  { withinMs = 10_000, everyMs }: { readonly withinMs?: number; readonly everyMs?: number } = {},
): Promise<void> {
  const late = Promise.withResolvers<never>();
  const waitMs = withinMs + Math.min(withinMs * 2, ALLOWANCE_MS);
  const timer = setTimeout(late.reject, waitMs, new Error(`not within ${waitMs} ms: ${what}`));
  try {
    for (;;) {
      const askedAt = performance.now();
      if (await Promise.race([condition(), late.promise])) return;
      await Promise.race([sleep(everyMs ?? pauseAfter(performance.now() - askedAt)), late.promise]);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** A fifth of the time goes to the question, more only when it takes very long. */
function pauseAfter(tookMs: number): number {
  return Math.min(Math.max(SHORTEST_PAUSE_MS, tookMs * 4), LONGEST_PAUSE_MS);
}

/** A machine may be three times as slow as the one that the waits were written on; long waits end two minutes later at most. */
const ALLOWANCE_MS = 120_000;
const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 200;
