const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A duration of `ms` milliseconds as kubectl prints ages: `45s`, `5m30s`, `3h20m`, `2d4h`, `3y`. */
export function humanDuration(ms: number): string {
  if (ms <= -2 * SECOND) return "<invalid>";
  if (ms < 0) return "0s";
  const form = FORMS.find(({ below }) => ms < below);
  return form === undefined ? `${Math.floor(ms / (365 * DAY))}y` : form.text(ms);
}

/** How a duration is written that is shorter than `below` and no shorter than that of the form before. */
interface Form {
  readonly below: number;
  readonly text: (ms: number) => string;
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

const FORMS: readonly Form[] = [
  { below: 2 * MINUTE, text: (ms) => `${Math.floor(ms / SECOND)}s` },
  { below: 10 * MINUTE, text: (ms) => pair(ms, MINUTE, "m", SECOND, "s") },
  { below: 3 * HOUR, text: (ms) => `${Math.floor(ms / MINUTE)}m` },
  { below: 8 * HOUR, text: (ms) => pair(ms, HOUR, "h", MINUTE, "m") },
  { below: 2 * DAY, text: (ms) => `${Math.floor(ms / HOUR)}h` },
  { below: 8 * DAY, text: (ms) => pair(ms, DAY, "d", HOUR, "h") },
  { below: 2 * 365 * DAY, text: (ms) => `${Math.floor(ms / DAY)}d` },
  { below: 8 * 365 * DAY, text: (ms) => pair(ms, 365 * DAY, "y", DAY, "d") },
];
