import { Cron } from "croner";

/** When something is due, again and again. */
export interface Timetable {
  /** The last time until `now`, which counts itself; undefined when there was none. Milliseconds since 1970. */
  lastUntil: (now: number) => number | undefined;
  /** The next time after `now`; undefined when there is none. */
  nextAfter: (now: number) => number | undefined;
}

/** What a timetable is written as. */
export interface TimetableText {
  /** Five fields of cron. */
  readonly schedule: string;
  /** A name of the IANA database. */
  readonly timeZone: string;
}

/** What of it cannot be used, and what is allowed. */
export interface TimetableObjection {
  readonly field: keyof TimetableText;
  readonly why: string;
  readonly remedy: string;
}

/**
 * The timetable of that text, or what is wrong with it. Where clocks are put forward, a time that does not exist is due at the first one that does; where they are
 * put back, a time that comes twice is due once. One with `*` or a step in its minutes or hours follows the time that passes.
 */
export function readTimetable({ schedule, timeZone }: TimetableText): Timetable | TimetableObjection {
  if (!isTimeZone(timeZone))
    return {
      field: "timeZone",
      why: "it is no name of the IANA database of time zones",
      remedy: 'write a name such as "Europe/Berlin" or "UTC"',
    };
  const fields = schedule.trim().split(/\s+/);
  if (fields.length !== 5 || !fields.every((field) => FIELD.test(field))) return objectTo(FORM);
  try {
    const cron = new Cron(fields.join(" "), OPTIONS(timeZone));
    if (cron.nextRun(new Date(ANY_TIME)) === null) return objectTo("it names a day that never comes");
    return {
      lastUntil: (now) => cron.previousRuns(1, new Date(secondAfter(now)))[0]?.getTime(),
      nextAfter: (now) => cron.nextRun(new Date(now))?.getTime(),
    };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return objectTo(whyOf(error));
  }
}

/** Of a range the library says the numbers that it has made of names, which nobody has written. */
function whyOf({ message }: Error): string {
  return message.includes("From value is larger than to value")
    ? "a range goes from a later value to an earlier one: write both parts, as fri-sat,sun-mon"
    : message.replace(/^CronPattern: /, "");
}

/** The library counts whole seconds, and means those before. */
function secondAfter(now: number): number {
  return Math.floor(now / 1_000) * 1_000 + 1_000;
}

function objectTo(why: string): TimetableObjection {
  return { field: "schedule", why, remedy: 'write for instance "30 2 * * *", or "0 */6 * * mon-fri"' };
}

function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+/-]*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const OPTIONS = (timezone: string) =>
  ({ mode: "5-part", paused: true, fixedTimeRule: "no-wildcard", timezone }) as const;
const FORM =
  "it has five fields: minute, hour, day of the month, month, day of the week; each is *, a value, a range a-b, a list a,b, or one of these with a step /n";
/** What every cron knows: no seconds, no names of timetables, and no L, W, # and ?. */
const PART = String.raw`(?:\*|\d{1,2}|[a-z]{3})(?:-(?:\d{1,2}|[a-z]{3}))?(?:\/\d{1,2})?`;
const FIELD = new RegExp(String.raw`^${PART}(?:,${PART})*$`, "i");
const ANY_TIME = Date.UTC(2024, 0, 1);
