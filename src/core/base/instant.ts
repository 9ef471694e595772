/**
 * A moment by two clocks of one machine, in milliseconds. The steady clock never jumps, but stands still while the machine
 * sleeps; the wall clock goes on then, but may be set. All processes of a machine agree on both.
 */
export interface Instant {
  readonly steadyMs: number;
  readonly wallMs: number;
}

/** The longer of what the two clocks say: right after a sleep, and after the wall clock was set back. */
export function elapsedMs(from: Instant, to: Instant): number {
  return Math.max(to.steadyMs - from.steadyMs, to.wallMs - from.wallMs);
}

/** The moment `ms` later, by both clocks. */
export function laterBy({ steadyMs, wallMs }: Instant, ms: number): Instant {
  return { steadyMs: steadyMs + ms, wallMs: wallMs + ms };
}

/** True once either clock has reached `moment`. */
export function hasCome(moment: Instant, now: Instant): boolean {
  return now.steadyMs >= moment.steadyMs || now.wallMs >= moment.wallMs;
}

/** A moment that came before any other. */
export const LONG_AGO: Instant = { steadyMs: Number.NEGATIVE_INFINITY, wallMs: Number.NEGATIVE_INFINITY };
