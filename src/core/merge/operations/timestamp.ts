/**
 * A hybrid logical time: the wall clock of the site in milliseconds, and a count that orders what happens within one
 * millisecond or while the clock is behind what was received. The origin makes it unique.
 */
export interface Timestamp {
  readonly wall: number;
  readonly count: number;
  readonly site: number;
}

/** Negative when `a` is earlier, 0 only for the same one. */
export function compareTimestamps(a: Timestamp, b: Timestamp): number {
  return a.wall - b.wall || a.count - b.count || a.site - b.site;
}

/** The time of the next operation of an origin: later than all that its site has made or received. */
export function nextTimestamp(last: Timestamp, now: number, site: number): Timestamp {
  if (now > last.wall) return { wall: now, count: 0, site };
  return last.count < MOST_COUNT
    ? { wall: last.wall, count: last.count + 1, site }
    : { wall: last.wall + 1, count: 0, site };
}

/** A site does not count on above this, whatever another one has counted: it goes on in the next millisecond. */
const MOST_COUNT = 2 ** 32;

/** The later one: what a site has after it received `other`. */
export function laterOf(last: Timestamp, other: Timestamp): Timestamp {
  return compareTimestamps(last, other) < 0 ? other : last;
}

/** Before every operation. */
export const BEGINNING: Timestamp = { wall: 0, count: 0, site: 0 };
