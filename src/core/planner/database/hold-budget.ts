/** What is known of the attempts to move the primary of one shard, in milliseconds of the uptime. */
export interface ShardAttempts {
  /** When a move was first asked for that has not been made yet; undefined when none waits. */
  readonly waitingSince: number | undefined;
  /** Holds in a row that came to nothing. */
  readonly failures: number;
}

/**
 * The attempts to move the primaries of one database. How patient a move is belongs to its shard: requests of the other shards say nothing about
 * it. The time for which clients are held belongs to the database: a client with keys of all shards waits in each hold, so that one budget for
 * each shard would be n budgets for that client.
 */
export interface MoveAttempts {
  /** The last time for which clients were held, whichever shard was moved. */
  readonly lastHold: { readonly endedAt: number; readonly heldMs: number } | undefined;
  readonly shards: ReadonlyMap<number, ShardAttempts>;
}

/** How the next attempt goes about it. */
export interface NextAttempt {
  /** How long clients must not be held again, in milliseconds from now; 0 when they may be held. */
  readonly waitMs: number;
  /** Clients are held although requests have been at the engine for long: the engine never became quiet. */
  readonly insists: boolean;
  /** How long requests in flight may take while clients wait, in milliseconds. */
  readonly drainMs: number;
}

/** Moves hold the clients of a database for at most one part in so many of its time. */
const PARTS = 20;
/** A move waits so long for quiet before it insists, in milliseconds. */
const PATIENCE_MS = 10_000;
const DRAIN_MS = { first: 500, most: 2_000 } as const;

/** No move was tried yet. */
export const NO_ATTEMPTS: MoveAttempts = { lastHold: undefined, shards: new Map() };
const NONE_OF_SHARD: ShardAttempts = { waitingSince: undefined, failures: 0 };

/** Clients spend at most 5 % of the time on holds, and still each move is tried again and again, with more patience each time. */
export function nextAttempt({ lastHold, shards }: MoveAttempts, shard: number, now: number): NextAttempt {
  const { waitingSince, failures } = shards.get(shard) ?? NONE_OF_SHARD;
  const free = lastHold === undefined ? now : lastHold.endedAt + (PARTS - 1) * lastHold.heldMs;
  return {
    waitMs: Math.max(0, free - now),
    insists: waitingSince !== undefined && now - waitingSince >= PATIENCE_MS,
    drainMs: Math.min(DRAIN_MS.most, DRAIN_MS.first * 2 ** failures),
  };
}

/** An attempt to move this shard has begun. */
export function recordAttempt(before: MoveAttempts, shard: number, now: number): MoveAttempts {
  const { waitingSince = now, failures } = before.shards.get(shard) ?? NONE_OF_SHARD;
  return { ...before, shards: new Map([...before.shards, [shard, { waitingSince, failures }]]) };
}

/** How an attempt ended: for how long clients were held, 0 when it did not get that far, and whether the primary is another one. */
export interface AttemptEnd {
  readonly heldMs: number;
  readonly moved: boolean;
}

/** An attempt to move this shard has ended. */
export function recordHold(
  before: MoveAttempts,
  shard: number,
  { heldMs, moved }: AttemptEnd,
  now: number,
): MoveAttempts {
  const { waitingSince, failures } = before.shards.get(shard) ?? NONE_OF_SHARD;
  const after = moved ? NONE_OF_SHARD : { waitingSince, failures: failures + (heldMs > 0 ? 1 : 0) };
  return {
    lastHold: heldMs > 0 ? { endedAt: now, heldMs } : before.lastHold,
    shards: new Map([...before.shards, [shard, after]]),
  };
}
