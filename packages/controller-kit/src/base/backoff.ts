/** Milliseconds to wait before attempt `attempt` (0 is the first retry): doubling from `baseMs`, at most `maxMs`. */
export function backoffMs(attempt: number, baseMs: number, maxMs: number): number {
  return Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30));
}
