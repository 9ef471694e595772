import type { BackupScheduleStatus } from "../api/backup-schedule-spec.ts";
import type { Timetable, TimetableText } from "../base/timetable.ts";
import { deleteBackup } from "../api/kubectl.ts";
import type { Finding } from "../api/parts.ts";
import { block, pause, warn } from "../planner/findings/finding.ts";
import { act, waitFor, type Step } from "../planner/findings/step.ts";
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

/** What is done about a schedule. */
export type ScheduleAct =
  /** `meanwhile`: what is waited for then. */
  | { readonly kind: "begin"; readonly name: string; readonly dueAt: number; readonly meanwhile: Finding }
  /** What was due then is left out. */
  | { readonly kind: "miss"; readonly dueAt: number; readonly finding: Finding };

/** What is to be done about a schedule, and when; times in milliseconds since 1970. */
export interface ScheduleDecision {
  /** What blocks waits for a person: what was due cannot be made, or does not go on. */
  readonly step: Step<ScheduleAct>;
  /** When the next backup is due; undefined: none is. */
  readonly nextAt: number | undefined;
  /** When something is to be done that no change of an object tells of. */
  readonly lookAt: number | undefined;
}

/** What is to be done now: the last one that was due is made once, however many were missed, and never beside another one that is under way. */
export function decideSchedule(facts: ScheduleFacts): ScheduleDecision {
  const { name, isSuspended, deadlineMs, runs, now } = facts;
  if (isSuspended) return { step: waitFor(SUSPENDED), nextAt: undefined, lookAt: undefined };
  const nextAt = nextUnmade(facts);
  const then = (step: ScheduleDecision["step"]): ScheduleDecision => ({ step, nextAt, lookAt: nextAt });
  const active = runs.find(({ isOver }) => !isOver);
  const dueAt = dueNow(facts);
  if (active?.trouble !== undefined) return then(waitFor(sayStalled(active.name, active.trouble, facts)));
  if (dueAt === undefined) return then(waitFor(idle(nextAt, active)));
  const lateAt = deadlineMs === undefined ? undefined : dueAt + deadlineMs;
  if (lateAt !== undefined && now > lateAt) {
    const finding = sayMissed(dueAt, lateAt, active);
    return then(act({ kind: "miss", dueAt, finding }, finding.evidence));
  }
  if (active !== undefined) {
    const evidence = `the backup that was due at ${textOf(dueAt)} waits until ${active.name} has ended`;
    return { step: waitFor(pause("RunUnderWay", evidence)), nextAt, lookAt: earlier(nextAt, lateAt) };
  }
  const run = runName(name, dueAt);
  if (facts.isTaken(run)) return then(waitFor(sayTaken(run)));
  const meanwhile = idle(nextAt, { name: run });
  return then(act({ kind: "begin", name: run, dueAt, meanwhile }, `it was due at ${textOf(dueAt)}`));
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

const SUSPENDED = pause("Suspended", "it is suspended: spec.suspend is true");

function idle(nextAt: number | undefined, active: Pick<ScheduledRun, "name"> | undefined): Finding {
  const next = nextAt === undefined ? "no other one is due" : `the next one is due at ${textOf(nextAt)}`;
  return active === undefined ? pause("Scheduled", next) : pause("Running", `${active.name} is under way; ${next}`);
}

function sayMissed(dueAt: number, lateAt: number, active: ScheduledRun | undefined): Finding {
  const why = active === undefined ? "" : `, since ${active.name} has not ended`;
  const evidence = `the backup that was due at ${textOf(dueAt)} was not begun until ${textOf(lateAt)}${why}, and is left out`;
  return warn("Missed", evidence, "allow more with spec.startingDeadlineSeconds");
}

function sayStalled(name: string, trouble: string, of: Pick<ScheduleFacts, "name" | "isOfDatabase">): Finding {
  const what = of.isOfDatabase ? `spec.backup of the database "${of.name}"` : "the schedule";
  const why = trouble.replace(/\.$/, "");
  const evidence = `the backup "${name}" does not go on, and no other one is begun before it has ended: ${why}. It keeps what the schedule said when it was made`;
  return block("RunStalled", evidence, `correct ${what} where it is wrong, then ${deleteBackup(name)}`);
}

function sayTaken(name: string): Finding {
  const evidence = `there is a StoreEnterpriseBackup "${name}" that is not of this schedule`;
  return block("NameTaken", evidence, deleteBackup(name));
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  // a moment after it: until then it is in time
  if (other === undefined) return one;
  return one === undefined ? other + 1 : Math.min(one, other + 1);
}

function textOf(time: number): string {
  return new Date(time).toISOString().replace(".000Z", "Z");
}
