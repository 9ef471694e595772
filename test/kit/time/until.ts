import { setTimeout as sleep } from "node:timers/promises";

/** Waits until `condition` holds, asking every `everyMs`; fails with `what` after `withinMs`. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  { withinMs = 10_000, everyMs = 5 } = {},
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(everyMs);
  }
}
