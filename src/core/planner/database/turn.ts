/** What a shard needs next, as far as its turn depends on it. */
export interface Turn {
  readonly shard: number;
  /** The place of its rule: what comes first is the most urgent. */
  readonly rule: number;
  /** The act goes on beside the passes of the leader: there is nothing to begin. */
  readonly isUnderWay: boolean;
  /** The act did not succeed a moment ago, and is not begun again yet. */
  readonly isPausing: boolean;
}

/**
 * Orders what shards need: the most urgent first, and of two equally urgent needs that of the first shard. A shard whose last step did not
 * succeed gives way to the others once, so that it stops none of them. A need that is under way delays no other, and neither does one that pauses.
 */
export function orderTurns<T extends Turn>(turns: readonly T[], failed: ReadonlySet<number> = new Set()): readonly T[] {
  const compare = (one: Turn, other: Turn): number =>
    Number(one.isPausing) - Number(other.isPausing) ||
    Number(one.isUnderWay) - Number(other.isUnderWay) ||
    Number(failed.has(one.shard)) - Number(failed.has(other.shard)) ||
    one.rule - other.rule;
  return turns.toSorted(compare);
}

/** The shards that give way in the next pass, after the step of `shard` did not succeed: it begins anew once each of them has had its turn. */
export function withFailed(failed: ReadonlySet<number> = new Set(), shard: number): ReadonlySet<number> {
  return failed.has(shard) ? new Set([shard]) : new Set([...failed, shard]);
}

/** When the next pass is due after the step of `shard` did not succeed, in milliseconds: soon, for the others, unless each has had its turn. */
export function nextTurnMs(failed: ReadonlySet<number> = new Set(), shard: number, pauseMs: number): number {
  return failed.has(shard) ? pauseMs : Math.min(pauseMs, NEXT_TURN_MS);
}

/** The steps of hundreds of shards that do not succeed must not keep the leader from all else. */
const NEXT_TURN_MS = 10;
