import type { BackupScheduleStatus } from "../api/backup-schedule-spec.ts";
import type { Timetable, TimetableText } from "../base/timetable.ts";
import { deleteBackup } from "../api/kubectl.ts";
import type { BackupReason } from "./decide.ts";
import { runName, type ScheduledRun } from "./schedule-runs.ts";

/** What a decision about a schedule rests on; times in milliseconds since 1970. */
export interface ScheduleFacts {
  readonly name: string;
  /** A database keeps it as its `spec.backup` says: an edit of it is put back. */
  readonly isOfDatabase: boolean;
  readonly timetable: Timetable;
  readonly isSuspended: boolean;
  /** So long after it was due a backup may be begun; undefined: however late. */
  readonly deadlineMs: number | undefined;
  /** What was due before is none of this timetable. */
  readonly since: number;
  /** When the last backup was due that was begun. */
  readonly lastDueAt: number | undefined;
  /** The backups of this schedule that there are. */
  readonly runs: readonly ScheduledRun[];
  /** Whether somebody else has made an object of that name. */
  readonly isTaken: (name: string) => boolean;
  readonly now: number;
}

/** What is to be done about a schedule. */
export type ScheduleStep = {
  /** When the next backup is due; undefined: none is. */
  readonly nextAt: number | undefined;
  /** When something is to be done that no change of an object tells of. */
  readonly lookAt: number | undefined;
} & (
  | ({ readonly kind: "begin"; readonly name: string; readonly dueAt: number } & BackupReason)
  | ({ readonly kind: "wait" } & BackupReason)
  /** What was due then is left out. */
  | ({ readonly kind: "miss"; readonly dueAt: number } & BackupReason)
  /** What was due then cannot be made or does not go on, and somebody has to see to it. */
  | ({ readonly kind: "refuse"; readonly dueAt: number } & BackupReason)
);

/** What is to be done now: the last one that was due is made once, however many were missed, and never beside another one that is under way. */
export function decideSchedule(facts: ScheduleFacts): ScheduleStep {
  const { name, isSuspended, deadlineMs, runs, now } = facts;
  const none = { nextAt: undefined, lookAt: undefined };
  if (isSuspended)
    return { kind: "wait", ...none, reason: "Suspended", message: "it is suspended: spec.suspend is true" };
  const nextAt = nextUnmade(facts);
  const then = { nextAt, lookAt: nextAt };
  const active = runs.find(({ isOver }) => !isOver);
  const dueAt = dueNow(facts);
  if (active?.trouble !== undefined)
    return { kind: "refuse", ...then, dueAt: active.dueAt, ...sayStalled(active.name, active.trouble, facts) };
  if (dueAt === undefined) return { kind: "wait", ...then, ...idle(nextAt, active) };
  const lateAt = deadlineMs === undefined ? undefined : dueAt + deadlineMs;
  if (lateAt !== undefined && now > lateAt)
    return { kind: "miss", ...then, dueAt, ...sayMissed(dueAt, lateAt, active) };
  if (active !== undefined) {
    const message = `the backup that was due at ${textOf(dueAt)} waits until ${active.name} has ended`;
    return { kind: "wait", nextAt, lookAt: earlier(nextAt, lateAt), reason: "RunUnderWay", message };
  }
  const run = runName(name, dueAt);
  if (facts.isTaken(run)) return { kind: "refuse", ...then, dueAt, ...sayTaken(run) };
  return { kind: "begin", ...then, name: run, dueAt, ...idle(nextAt, { name: run }) };
}

/** Which timetable is followed, and since when: another one makes up for nothing, and a clock that was ahead holds none up. */
export function followedTimetable(
  { schedule, timeZone }: TimetableText,
  before: Pick<BackupScheduleStatus, "timetable" | "timetableTime">,
  { madeAt, now }: { readonly madeAt: number; readonly now: number },
): { readonly timetable: string; readonly since: number } {
  const timetable = `${schedule} ${timeZone}`;
  if (before.timetable === undefined) return { timetable, since: Math.min(madeAt, now) };
  const since = before.timetable === timetable ? Date.parse(before.timetableTime ?? "") : now;
  return { timetable, since: since <= now ? since : now };
}

function dueNow({ timetable, since, lastDueAt, runs, now }: ScheduleFacts): number | undefined {
  const dueAt = timetable.lastUntil(now);
  if (dueAt === undefined || dueAt <= since) return undefined;
  // what was due later than the next one was made by a clock that was days ahead, and says nothing of those until then
  const isAhead = lastDueAt !== undefined && lastDueAt > (timetable.nextAfter(now) ?? Infinity);
  if (lastDueAt !== undefined && !isAhead && dueAt <= lastDueAt) return undefined;
  return runs.some((run) => run.dueAt === dueAt) ? undefined : dueAt;
}

function nextUnmade({ timetable, lastDueAt, runs, now }: ScheduleFacts): number | undefined {
  let at = timetable.nextAfter(now);
  while (at !== undefined && (at === lastDueAt || runs.some(({ dueAt }) => dueAt === at))) at = timetable.nextAfter(at);
  return at;
}

function idle(nextAt: number | undefined, active: Pick<ScheduledRun, "name"> | undefined): BackupReason {
  const next = nextAt === undefined ? "no other one is due" : `the next one is due at ${textOf(nextAt)}`;
  if (active !== undefined) return { reason: "Running", message: `${active.name} is under way; ${next}` };
  return { reason: "Scheduled", message: next };
}

function sayMissed(dueAt: number, lateAt: number, active: ScheduledRun | undefined): BackupReason {
  const why = active === undefined ? "" : `, since ${active.name} has not ended`;
  const message = `the backup that was due at ${textOf(dueAt)} was not begun until ${textOf(lateAt)}${why}, and is left out; remedy: allow more with spec.startingDeadlineSeconds`;
  return { reason: "Missed", message };
}

function sayStalled(name: string, trouble: string, of: Pick<ScheduleFacts, "name" | "isOfDatabase">): BackupReason {
  const what = of.isOfDatabase ? `spec.backup of the database "${of.name}"` : "the schedule";
  const why = trouble.replace(/\.$/, "");
  const message = `the backup "${name}" does not go on, and no other one is begun before it has ended: ${why}. It keeps what the schedule said when it was made; remedy: correct ${what} where it is wrong, then ${deleteBackup(name)}`;
  return { reason: "RunStalled", message };
}

function sayTaken(name: string): BackupReason {
  const message = `there is a StoreEnterpriseBackup "${name}" that is not of this schedule; remedy: ${deleteBackup(name)}`;
  return { reason: "NameTaken", message };
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  // a moment after it: until then it is in time
  if (other === undefined) return one;
  return one === undefined ? other + 1 : Math.min(one, other + 1);
}

function textOf(time: number): string {
  return new Date(time).toISOString().replace(".000Z", "Z");
}
