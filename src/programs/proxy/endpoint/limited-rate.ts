import type { Clock } from "../../../core/base/clock.ts";

/** Calls `say` at most once in that time, in milliseconds. */
export function limitedRate(clock: Clock, everyMs: number, say: () => void): () => void {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock.uptimeMs();
    if (now - last < everyMs) return;
    last = now;
    say();
  };
}
