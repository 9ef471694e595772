import type { Clock } from "#kit/base/clock";

/** Looks again and again; true as soon as it holds, false when it does not after `ms`. */
export async function within(clock: Clock, ms: number, holds: () => boolean): Promise<boolean> {
  const deadline = clock.uptimeMs() + ms;
  while (!holds()) {
    if (clock.uptimeMs() >= deadline) return false;
    await clock.sleep(POLL_MS);
  }
  return true;
}

const POLL_MS = 1;
