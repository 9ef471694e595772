const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A duration of `ms` milliseconds as kubectl prints ages: `45s`, `5m30s`, `3h20m`, `2d4h`, `3y`. */
export function humanDuration(ms: number): string {
  if (ms <= -2 * SECOND) return "<invalid>";
  if (ms < 0) return "0s";
  if (ms < 2 * MINUTE) return `${Math.floor(ms / SECOND)}s`;
  if (ms < 10 * MINUTE) return pair(ms, MINUTE, "m", SECOND, "s");
  if (ms < 3 * HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < 8 * HOUR) return pair(ms, HOUR, "h", MINUTE, "m");
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}h`;
  if (ms < 8 * DAY) return pair(ms, DAY, "d", HOUR, "h");
  if (ms < 2 * 365 * DAY) return `${Math.floor(ms / DAY)}d`;
  if (ms < 8 * 365 * DAY) return pair(ms, 365 * DAY, "y", DAY, "d");
  return `${Math.floor(ms / (365 * DAY))}y`;
}

/** The age of an instant written as text; `<unknown>` when there is none. */
export function ageOf(instant: unknown, now: Date): string {
  const began = typeof instant === "string" ? Date.parse(instant) : NaN;
  return Number.isNaN(began) ? "<unknown>" : humanDuration(now.getTime() - began);
}

function pair(ms: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((ms % large) / small);
  const whole = `${Math.floor(ms / large)}${largeUnit}`;
  return rest === 0 ? whole : `${whole}${rest}${smallUnit}`;
}
