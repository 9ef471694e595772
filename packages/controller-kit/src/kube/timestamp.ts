/** An instant as objects carry it: RFC 3339 to the second, which is what a server keeps. */
export function timestamp(instant: Date): string {
  return `${instant.toISOString().slice(0, 19)}Z`;
}

/** An instant to the microsecond, as Leases carry it. */
export function microTimestamp(instant: Date): string {
  return instant.toISOString().replace("Z", "000Z");
}
