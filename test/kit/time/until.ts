import { setTimeout as sleep } from "node:timers/promises";

/** Waits until `condition` holds, asking every `everyMs`; fails with `what` after `withinMs`, also while `condition` gives no answer. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  { withinMs = 10_000, everyMs = 5 } = {},
): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(late.reject, withinMs, new Error(`not within ${withinMs} ms: ${what}`));
  try {
    while (!(await Promise.race([condition(), late.promise]))) await Promise.race([sleep(everyMs), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
