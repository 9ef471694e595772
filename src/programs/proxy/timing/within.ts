import type { Clock } from "#kit/base/clock";

/**
 * Looks again and again; true as soon as it holds, false when it does not after `ms`. While the process stands still between two looks,
 * nothing arrives that it could see: little of that time counts.
 */
export async function within(
  clock: Pick<Clock, "sleep" | "uptimeMs">,
  ms: number,
  holds: () => boolean,
  everyMs = POLL_MS,
): Promise<boolean> {
  let leftMs = ms;
  for (let at = clock.uptimeMs(); !holds();) {
    if (leftMs <= 0) return false;
    await clock.sleep(everyMs);
    const now = clock.uptimeMs();
    leftMs -= Math.min(now - at, MOST_MS);
    at = now;
  }
  return true;
}

const POLL_MS = 1;
/** A busy process looks as late as this. */
const MOST_MS = 50;
