import { isFault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { faults as kubeFaults } from "#kit/kube/faults";
import { controllerOf, refOfKey } from "#kit/kube/ref";
import { AT_REST, lookAgain, sooner, type Outcome } from "#kit/reconcile/outcome";
import { backupScheduleSpec, type BackupScheduleSpec } from "../../../core/api/backup-schedule-spec.ts";
import { KINDS } from "../../../core/api/kinds.ts";
import { BACKUP_SCHEDULE_LABEL } from "../../../core/api/names.ts";
import { decideSchedule, followedTimetable } from "../../../core/backup/decide-schedule.ts";
import { freshnessOf, newestBackupAt, wantedAgeMs } from "../../../core/backup/freshness.ts";
import type { TriedRemoval } from "../../../core/backup/removal-turns.ts";
import { scheduledRunOf, type ScheduledRun } from "../../../core/backup/schedule-runs.ts";
import { readTimetable, type Timetable } from "../../../core/base/timetable.ts";
import { BACKUP_SCHEDULE_RULES, DEFAULT_TIME_ZONE } from "../../../core/planner/admission/backup-schedule.ts";
import { objections, sentence } from "../../../core/planner/admission/objection.ts";
import { Backups, BackupSchedules } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { reportFailedPass } from "../objects/failed-condition.ts";
import { withFailuresReported } from "../objects/pass-failure.ts";
import { retainBackups, type RetentionDeps } from "./retain.ts";
import { refuseSchedule, reportSchedule, type ScheduleReport, type StoredSchedule } from "./schedule-report.ts";

/** What passes over schedules work with. */
export interface ScheduleDeps extends RetentionDeps {
  readonly log: Log;
}

/** One pass over a StoreEnterpriseBackupSchedule: asks for the backup that is due, reports. Nothing is done between two of them. */
export function scheduleReconciler(deps: ScheduleDeps): (key: string) => Promise<Outcome> {
  const tried = new Map<string, TriedRemoval>();
  const reconcile = (key: string): Promise<Outcome> => {
    const object = deps.cache.backupSchedules.get(refOfKey(key));
    const isOver = object?.metadata.deletionTimestamp !== undefined;
    return object === undefined || isOver ? Promise.resolve(AT_REST) : pass(deps, object, tried);
  };
  return withFailuresReported(reconcile, reportFailedPass(deps, BackupSchedules, deps.cache.backupSchedules), deps.log);
}

async function pass(deps: ScheduleDeps, object: StoredSchedule, tried: Map<string, TriedRemoval>): Promise<Outcome> {
  const read = readSpec(object);
  if ("objection" in read) {
    await refuseSchedule(deps, object, read.objection);
    return AT_REST;
  }
  const { clock, cache } = deps;
  const { spec, timetable } = read;
  const { name, namespace = "default", creationTimestamp } = object.metadata;
  const now = clock.now().getTime();
  const madeAt = creationTimestamp === undefined ? now : Date.parse(String(creationTimestamp));
  const runs = runsOf(deps, object, spec);
  const followed = followedTimetable(textOf(spec), object.status ?? {}, {
    madeAt,
    now,
  });
  const { lastScheduleTime } = object.status ?? {};
  const wantedMs = wantedAgeMs(timetable, now);
  const newestAt = newestBackupAt(backupsIn(deps, namespace), spec.databaseName);
  const freshness = { ...freshnessOf({ newestAt, since: madeAt, wantedMs, now }), newestAt, wantedMs };
  const decision = decideSchedule({
    name,
    isOfDatabase: controllerOf(object)?.kind === KINDS.database.kind,
    timetable,
    isSuspended: spec.suspend ?? false,
    deadlineMs: spec.startingDeadlineSeconds === undefined ? undefined : spec.startingDeadlineSeconds * 1_000,
    since: followed.since,
    lastDueAt: lastScheduleTime === undefined ? undefined : Date.parse(lastScheduleTime),
    runs,
    isTaken: (other) => cache.backups.get({ name: other, namespace }) !== undefined,
    now,
  });
  const next = await act(deps, object, { spec, report: { decision, runs, followed, freshness } });
  const retained = { object, spec, runs: () => runsOf(deps, object, spec), tried };
  return sooner(next, await retainBackups(deps, retained));
}

interface DecidedSchedule {
  readonly spec: BackupScheduleSpec;
  readonly report: ScheduleReport;
}

async function act(deps: ScheduleDeps, object: StoredSchedule, { spec, report }: DecidedSchedule): Promise<Outcome> {
  const { step } = report.decision;
  if (step.kind === "act" && step.act.kind === "begin" && !(await askFor(deps, object, spec, step.act.name)))
    return lookAgain(TAKEN_MS);
  await reportSchedule(deps, object, report);
  return again(deps, report);
}

/** Makes the object that asks for the backup; false when there is one of that name, which the cache does not know yet. */
async function askFor(
  { kube, cache }: ScheduleDeps,
  { metadata }: StoredSchedule,
  spec: BackupScheduleSpec,
  name: string,
): Promise<boolean> {
  const { databaseName, s3, encryption, bytesPerSecond, verify, activeDeadlineSeconds } = spec;
  const { namespace = "default" } = metadata;
  const labels = { [BACKUP_SCHEDULE_LABEL]: metadata.name };
  const asked = {
    databaseName,
    s3,
    ...(encryption === undefined ? {} : { encryption }),
    ...(bytesPerSecond === undefined ? {} : { bytesPerSecond }),
    ...(verify === undefined ? {} : { verify }),
    ...(activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds }),
  };
  try {
    cache.backups.learn(await kube.create(Backups, { metadata: { name, namespace, labels }, spec: asked }));
    return true;
  } catch (error) {
    if (isFault(error, kubeFaults.alreadyExists)) return false;
    throw error;
  }
}

/** A timer knows nothing of a clock that is set meanwhile, so none is long. */
function again({ clock }: ScheduleDeps, { decision: { lookAt }, freshness }: ScheduleReport): Outcome {
  const { isStale, staleAt } = freshness;
  const times = [...(lookAt === undefined ? [] : [lookAt]), ...(isStale ? [] : [staleAt + 1])];
  return times.length === 0
    ? AT_REST
    : lookAgain(Math.min(...times.map((time) => time - clock.now().getTime()), LONGEST_MS));
}

function backupsIn({ cache }: Pick<ScheduleDeps, "cache">, namespace: string) {
  return cache.backups.list().filter(({ metadata }) => metadata.namespace === namespace);
}

function runsOf({ cache }: ScheduleDeps, { metadata }: StoredSchedule, { databaseName }: BackupScheduleSpec) {
  const { name, namespace = "default" } = metadata;
  return backupsIn({ cache }, namespace).flatMap((backup): readonly ScheduledRun[] => {
    const run = scheduledRunOf(backup, { name, databaseName });
    return run === undefined ? [] : [run];
  });
}

/** What is wrong with it is said here too: the webhook may be away when an object is written. */
function readSpec({ metadata, spec }: StoredSchedule) {
  const parsed = backupScheduleSpec.safeParse(spec);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { objection: `spec.${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not acceptable"}` };
  }
  const [objection] = objections(BACKUP_SCHEDULE_RULES, { name: metadata.name, spec: parsed.data });
  if (objection !== undefined) return { objection: sentence(objection) };
  return { spec: parsed.data, timetable: timetableIn(parsed.data) };
}

function timetableIn(spec: BackupScheduleSpec): Timetable {
  const timetable = readTimetable(textOf(spec));
  if ("why" in timetable) throw new Error(`no rule objects to spec.${timetable.field}: ${timetable.why}`);
  return timetable;
}

function textOf({ schedule, timeZone = DEFAULT_TIME_ZONE }: BackupScheduleSpec) {
  return { schedule, timeZone };
}

/** How soon the cache knows an object that is there, in milliseconds. */
const TAKEN_MS = 1_000;
const LONGEST_MS = 600_000;
