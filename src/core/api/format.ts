/**
 * Format of what nodes store and say among themselves: records, reports in leases, messages to proxies. It rises when programs
 * of the format before could not work with it (docs/compatibility.md); a higher one than this is refused.
 */
export const FORMAT = 1;

/** Release 0.1.0 writes none, and means this one. */
const UNWRITTEN = 1;

/** Whether this program can work with what has this format. */
export function isKnownFormat(written: unknown): boolean {
  const format = written ?? UNWRITTEN;
  return typeof format === "number" && format >= 1 && format <= FORMAT;
}
