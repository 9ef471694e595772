/**
 * Format of what nodes store and say among themselves: records, reports in leases, messages to proxies. It rises when programs
 * of the format before could not work with it (docs/compatibility.md); a higher one than this is refused.
 */
export const FORMAT = 1;

/**
 * Format of the record of a database whose shards have slots, and of no other record: a program before 0.6.0 would run each shard as if it had
 * all keys.
 */
export const SLOTS_FORMAT = 2;

/** What is stored or said has its format with it. */
export interface Formatted {
  /** Absent: the first one. */
  readonly format?: number;
}

/** Release 0.1.0 writes none, and means this one. */
const UNWRITTEN = 1;

/** Whether this program can work with what has this format, up to the newest one of its kind. */
export function isKnownFormat(written: unknown, newest = FORMAT): boolean {
  const format = written ?? UNWRITTEN;
  return typeof format === "number" && format >= 1 && format <= newest;
}
