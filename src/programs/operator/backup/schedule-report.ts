import { assertNever } from "#kit/base/assert-never";
import type { Clock } from "#kit/base/clock";
import type { EventRecorder } from "#kit/kube/events";
import type { Kube, Stored } from "#kit/kube/kube";
import { isSame } from "#kit/kube/same";
import type { BackupScheduleStatus } from "../../../core/api/backup-schedule-spec.ts";
import type { StoreEnterpriseBackupSchedule } from "../../../core/api/kinds.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { ScheduleDecision } from "../../../core/backup/decide-schedule.ts";
import type { Freshness, FreshnessFacts } from "../../../core/backup/freshness.ts";
import type { ScheduledRun } from "../../../core/backup/schedule-runs.ts";
import type { Announcement } from "../../../core/planner/cluster/announcements.ts";
import { sentenceOf } from "../../../core/planner/findings/finding.ts";
import { conditionWords, type ConditionWords, type Statement } from "../../../core/planner/findings/statement.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { BackupSchedules } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { withStatements } from "../objects/conditions.ts";

/** A schedule of backups, as it is stored. */
export type StoredSchedule = Stored<StoreEnterpriseBackupSchedule>;

/** What a pass over a schedule has come to. */
export interface ScheduleReport {
  readonly decision: ScheduleDecision;
  /** The backups of this schedule that there were before. */
  readonly runs: readonly ScheduledRun[];
  /** The timetable that is followed, and since when, in milliseconds since 1970. */
  readonly followed: { readonly timetable: string; readonly since: number };
  /** Of the database, whatever has made its backups; times in milliseconds since 1970. */
  readonly freshness: Freshness & Pick<FreshnessFacts, "newestAt" | "wantedMs">;
}

/** With what it is said. */
export interface ScheduleReportDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly cache: Pick<InformerCache, "backups" | "backupSchedules">;
}

/** Writes the status when it differs, and leaves an event when a backup was asked for or left out. */
export async function reportSchedule(
  deps: ScheduleReportDeps,
  object: StoredSchedule,
  report: ScheduleReport,
): Promise<void> {
  const before = object.status ?? {};
  const generation = object.metadata.generation ?? 0;
  const fresh = freshStatement(report.freshness, generation);
  const status: BackupScheduleStatus = {
    ...historyOf(before, report),
    observedGeneration: generation,
    conditions: withStatements(
      before.conditions,
      [...statementsOf(report.decision, generation), fresh],
      deps.clock.now(),
    ),
  };
  await write(deps, object, status, [...eventsOf(before, report.decision), ...staleEvents(before, fresh)]);
}

/** Says that nothing is done until the spec is corrected. */
export async function refuseSchedule(deps: ScheduleReportDeps, object: StoredSchedule, message: string): Promise<void> {
  const before = object.status ?? {};
  const observedGeneration = object.metadata.generation ?? 0;
  const statements = say(false, { reason: "SpecInvalid", message }, observedGeneration);
  const { nextScheduleTime: _, ...history } = before;
  const conditions = withStatements(before.conditions, statements, deps.clock.now());
  const isNew = before.conditions?.every((condition) => condition.message !== message) ?? true;
  const events = isNew ? [{ type: "Warning", reason: "SpecInvalid", message } as const] : [];
  await write(deps, object, { ...history, observedGeneration, conditions }, events);
}

async function write(
  { kube, events, cache }: ScheduleReportDeps,
  object: StoredSchedule,
  status: BackupScheduleStatus,
  announced: readonly Announcement[],
): Promise<void> {
  if (isSame(object.status ?? {}, status)) return;
  const update = () => kube.update(BackupSchedules, { ...object, status }, { subresource: "status" });
  cache.backupSchedules.learn(await events.recordAhead(object, announced, update));
}

function historyOf(
  before: BackupScheduleStatus,
  { decision: { step, nextAt }, runs, followed, freshness }: ScheduleReport,
): BackupScheduleStatus {
  const { lastScheduleTime, lastBackup, missedScheduleTime } = before;
  const newest = newestRestorable(runs);
  const done = step.kind === "act" ? step.act : undefined;
  const begun = done?.kind === "begin" ? done : undefined;
  const active = begun?.name ?? runs.find(({ isOver }) => !isOver)?.name;
  return {
    timetable: followed.timetable,
    timetableTime: textOf(followed.since),
    ...(lastScheduleTime === undefined ? {} : { lastScheduleTime }),
    ...(lastBackup === undefined ? {} : { lastBackup }),
    ...lastIn(before, runs),
    ...(begun === undefined ? {} : { lastScheduleTime: textOf(begun.dueAt), lastBackup: begun.name }),
    ...(nextAt === undefined ? {} : { nextScheduleTime: textOf(nextAt) }),
    ...(missedScheduleTime === undefined ? {} : { missedScheduleTime }),
    ...(done?.kind === "miss" ? { missedScheduleTime: textOf(done.dueAt) } : {}),
    ...(active === undefined ? {} : { active }),
    ...newest,
    wantedAgeSeconds: freshness.wantedMs / 1_000,
  };
}

/** What an operator that was killed has made, and not written down. */
function lastIn({ lastScheduleTime }: BackupScheduleStatus, runs: readonly ScheduledRun[]): BackupScheduleStatus {
  const last = runs.toSorted((one, other) => one.dueAt - other.dueAt).at(-1);
  if (last === undefined || last.dueAt <= Date.parse(lastScheduleTime ?? "1970-01-01")) return {};
  return { lastScheduleTime: textOf(last.dueAt), lastBackup: last.name };
}

function newestRestorable(runs: readonly ScheduledRun[]): BackupScheduleStatus {
  const [newest] = runs.toSorted((one, other) => (other.restorableAt ?? 0) - (one.restorableAt ?? 0));
  if (newest?.restorableAt === undefined) return {};
  return { lastRestorable: newest.name, lastRestorableTime: textOf(newest.restorableAt) };
}

function eventsOf(before: BackupScheduleStatus, { step }: ScheduleDecision): readonly Announcement[] {
  if (step.kind === "rest") return [];
  if (step.kind === "wait") {
    if (step.wait.severity !== "block") return [];
    const words = conditionWords(step.wait);
    const isNew = before.conditions?.every(({ message }) => message !== words.message) ?? true;
    return isNew ? [{ type: "Warning", ...words }] : [];
  }
  const { act } = step;
  switch (act.kind) {
    case "begin":
      return [{ type: "Normal", reason: "BackupScheduled", message: `asked for the backup ${act.name}` }];
    case "miss":
      if (before.missedScheduleTime === textOf(act.dueAt)) return [];
      return [{ type: "Warning", reason: "BackupMissed", message: sentenceOf(act.finding) }];
    default:
      return assertNever(act);
  }
}

/** What it waits for is in `Ready`, which holds unless a person has to see to it. */
function statementsOf({ step }: ScheduleDecision, observedGeneration: number): readonly Statement[] {
  const finding = findingOf(step);
  return finding === undefined ? [] : say(finding.severity !== "block", conditionWords(finding), observedGeneration);
}

function findingOf(step: ScheduleDecision["step"]): Finding | undefined {
  switch (step.kind) {
    case "rest":
      return undefined;
    case "wait":
      return step.wait;
    case "act":
      return step.act.kind === "begin" ? step.act.meanwhile : step.act.finding;
    default:
      return assertNever(step);
  }
}

function say(isReady: boolean, words: ConditionWords, observedGeneration: number): readonly Statement[] {
  const said = { ...words, observedGeneration };
  return [
    { type: "Ready", status: isReady ? "True" : "False", ...said },
    { type: "Reconciling", status: "False", ...said },
    { type: "Stalled", status: isReady ? "False" : "True", ...said },
  ];
}

function freshStatement(
  { isStale, newestAt, wantedMs }: ScheduleReport["freshness"],
  observedGeneration: number,
): Statement {
  const newest =
    newestAt === undefined
      ? "the database has no backup that can be restored"
      : `the newest backup of the database that can be restored is of ${textOf(newestAt)}`;
  const message = `${newest}; one that is at most ${ageText(wantedMs)} old is wanted`;
  const reason = isStale ? "Stale" : newestAt === undefined ? "Awaited" : "Restorable";
  return { type: "Fresh", status: isStale ? "False" : "True", reason, message, observedGeneration };
}

function staleEvents({ conditions }: BackupScheduleStatus, { status, message }: Statement): readonly Announcement[] {
  const isNew = conditions?.find(({ type }) => type === "Fresh")?.status !== "False";
  return status === "False" && isNew ? [{ type: "Warning", reason: "BackupStale", message }] : [];
}

/** In hours from three of them on, else in minutes. */
function ageText(ms: number): string {
  const hours = ms / 3_600_000;
  return hours >= 3 ? `${Math.round(hours * 10) / 10} h` : `${Math.ceil(hours * 60)} min`;
}

function textOf(time: number): string {
  return new Date(time).toISOString();
}
