/** What is known of the attempts to move the primary of one database, in milliseconds of the uptime. */
export interface MoveAttempts {
  /** When a move was first asked for that has not been made yet; undefined when none waits. */
  readonly waitingSince: number | undefined;
  /** The last time for which clients were held. */
  readonly lastHold: { readonly endedAt: number; readonly heldMs: number } | undefined;
  /** Holds in a row that came to nothing. */
  readonly failures: number;
}

/** How the next attempt goes about it. */
export interface NextAttempt {
  /** Clients are not asked to wait before that, in milliseconds from now; 0 when they may be. */
  readonly waitMs: number;
  /** Clients are asked to wait although requests are at the engine for long: it never became quiet. */
  readonly insists: boolean;
  /** How long requests in flight may take while clients wait, in milliseconds. */
  readonly drainMs: number;
}

/** Of its time, a database is held by moves at most one part in so many. */
const PARTS = 20;
/** A move waits so long for quiet before it insists, in milliseconds. */
const PATIENCE_MS = 10_000;
const DRAIN_MS = { first: 500, most: 2_000 } as const;

/** No move was tried yet. */
export const NO_ATTEMPTS: MoveAttempts = { waitingSince: undefined, lastHold: undefined, failures: 0 };

/** Clients spend at most 5 % of the time on holds, and still each move is tried again and again, with more patience each time. */
export function nextAttempt({ waitingSince, lastHold, failures }: MoveAttempts, now: number): NextAttempt {
  const free = lastHold === undefined ? now : lastHold.endedAt + (PARTS - 1) * lastHold.heldMs;
  return {
    waitMs: Math.max(0, free - now),
    insists: waitingSince !== undefined && now - waitingSince >= PATIENCE_MS,
    drainMs: Math.min(DRAIN_MS.most, DRAIN_MS.first * 2 ** failures),
  };
}

/** An attempt has begun. */
export function attempted(before: MoveAttempts, now: number): MoveAttempts {
  return { ...before, waitingSince: before.waitingSince ?? now };
}

/** Clients were held for `heldMs`, 0 when the attempt did not get that far; `moved`: the primary is another one. */
export function held(before: MoveAttempts, heldMs: number, moved: boolean, now: number): MoveAttempts {
  const lastHold = heldMs > 0 ? { endedAt: now, heldMs } : before.lastHold;
  if (moved) return { waitingSince: undefined, lastHold, failures: 0 };
  return { ...before, lastHold, failures: before.failures + (heldMs > 0 ? 1 : 0) };
}
