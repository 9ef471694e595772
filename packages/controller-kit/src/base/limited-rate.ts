import type { Clock } from "./clock.ts";

/** Calls `say` at most once in that time, in milliseconds; what comes in between is not said. */
export function limitedRate<About extends readonly unknown[]>(
  clock: Clock,
  everyMs: number,
  say: (...about: About) => void,
): (...about: About) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (...about) => {
    const now = clock.uptimeMs();
    if (now - last < everyMs) return;
    last = now;
    say(...about);
  };
}
