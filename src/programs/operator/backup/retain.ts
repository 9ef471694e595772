import type { BackupScheduleSpec } from "../../../core/api/backup-schedule-spec.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { removalTurns, type TriedRemoval } from "../../../core/backup/removal-turns.ts";
import { decideRetention, retentionText } from "../../../core/backup/retention.ts";
import type { ScheduledRun } from "../../../core/backup/schedule-runs.ts";
import type { Announcement } from "../../../core/planner/cluster/announcements.ts";
import { sentenceOf } from "../../../core/planner/findings/finding.ts";
import { conditionWords, type Statement } from "../../../core/planner/findings/statement.ts";
import { refOf } from "#kit/kube/ref";
import { isSame } from "#kit/kube/same";
import { AT_REST, lookAgain, type Outcome } from "#kit/reconcile/outcome";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { Backups, BackupSchedules } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { withStatements } from "../objects/conditions.ts";
import type { RemovalRefusal } from "./remove.ts";
import { reportProof, type StoredBackup } from "./report.ts";
import type { ScheduleReportDeps, StoredSchedule } from "./schedule-report.ts";

/** With what backups of schedules are removed. */
export interface RetentionDeps extends ScheduleReportDeps {
  readonly cache: ScheduleReportDeps["cache"] & Pick<InformerCache, "restores">;
  /** Removes what an object has saved; why when it does not go. */
  readonly removeSaved: (backup: StoredBackup) => Promise<RemovalRefusal | undefined>;
}

/** A schedule whose backups are kept as it says. */
export interface RetainedSchedule {
  readonly object: StoredSchedule;
  readonly spec: BackupScheduleSpec;
  /** Its backups as they are now. */
  readonly runs: () => readonly ScheduledRun[];
  /** What came of the removals so far, by the uid of the backup, for all schedules. */
  readonly tried: Map<string, TriedRemoval>;
}

/** Removes the backups of a schedule that it does not keep, what was saved before the object that names it, and says what is kept. */
export async function retainBackups(deps: RetentionDeps, schedule: RetainedSchedule): Promise<Outcome> {
  const { clock } = deps;
  const { tried } = schedule;
  const began = clock.now().getTime();
  forgetGone(deps, tried);
  const removed: string[] = [];
  for (const uid of removalTurns(goingUids(deps, schedule), tried, began).next.slice(0, MOST_AT_ONCE)) {
    // much may have changed since the one before: the schedule, a restore that was begun, an object that was made again
    const backup = goingNow(deps, schedule).find(({ metadata }) => metadata.uid === uid);
    if (backup === undefined) continue;
    const refusal = await deps.removeSaved(backup);
    if (refusal === undefined) {
      await deps.kube.delete(Backups, refOf(backup), { uid });
      removed.push(backup.metadata.name);
    } else if (refusal.isHalfGone) await reportHalfGone(deps, backup, refusal);
    tried.set(uid, { at: clock.now().getTime(), refusal });
    if (clock.now().getTime() - began >= LONGEST_MS) break;
  }
  const left = goingNow(deps, schedule);
  await report(deps, schedule, { removed, kept: firstRefused(left, tried) });
  const uids = left.map(({ metadata }) => metadata.uid);
  const { next, afterMs } = removalTurns(uids, tried, clock.now().getTime());
  if (next.length > 0) return lookAgain(SOON_MS);
  return afterMs === undefined ? AT_REST : lookAgain(afterMs);
}

/** It is no backup any more, whatever an engine has loaded of it before. */
async function reportHalfGone(deps: RetentionDeps, backup: StoredBackup, refusal: Finding): Promise<void> {
  const current = deps.cache.backups.get(refOf(backup)) ?? backup;
  const { conditions = [] } = current.status ?? {};
  if (conditions.some(({ type, reason }) => type === "Restorable" && reason === HALF_GONE)) return;
  const message = `its removal has begun, and goes on: ${sentenceOf(refusal)}`;
  await reportProof(deps, current, {
    status: "False",
    reason: HALF_GONE,
    message,
    seen: undefined,
    isBegun: false,
  });
}

/** What is to go as things stand, the oldest first: nothing of a schedule that was changed or deleted meanwhile, and nothing that goes already. */
function goingNow(deps: RetentionDeps, { object, spec, runs }: RetainedSchedule): readonly StoredBackup[] {
  const { cache, clock } = deps;
  const { namespace = "default", uid, generation } = object.metadata;
  const current = cache.backupSchedules.get(refOf(object))?.metadata;
  if (current?.uid !== uid || current.generation !== generation || current.deletionTimestamp !== undefined) return [];
  const stored = (name: string): StoredBackup | undefined => cache.backups.get({ name, namespace });
  const staying = runs().filter(({ name }) => stored(name)?.metadata.deletionTimestamp === undefined);
  return decideRetention(staying, spec.retention ?? {}, {
    isInUse: (name) => isRestored(deps, name, namespace),
    now: clock.now().getTime(),
  }).flatMap((name) => stored(name) ?? []);
}

function goingUids(deps: RetentionDeps, schedule: RetainedSchedule): readonly string[] {
  return goingNow(deps, schedule).map(({ metadata }) => metadata.uid);
}

function forgetGone({ cache }: RetentionDeps, tried: Map<string, TriedRemoval>): void {
  if (tried.size === 0) return;
  const there = new Set(cache.backups.list().map(({ metadata }) => metadata.uid));
  for (const uid of tried.keys()) if (!there.has(uid)) tried.delete(uid);
}

/** The oldest one that does not go, and why. */
function firstRefused(left: readonly StoredBackup[], tried: ReadonlyMap<string, TriedRemoval>): Kept | undefined {
  const [first] = left.flatMap(({ metadata: { name, uid } }) => {
    const refusal = tried.get(uid)?.refusal;
    return refusal === undefined ? [] : [{ name, refusal }];
  });
  return first;
}

/** A restore reads it, from the object or from the place that this names. */
function isRestored({ cache }: RetentionDeps, name: string, namespace: string): boolean {
  const path = cache.backups.get({ name, namespace })?.status?.path;
  return cache.restores.list().some(({ metadata, spec, status }) => {
    const { phase } = status ?? {};
    const isOver = phase === "Completed" || phase === "Failed" || (phase === "Planned" && spec.dryRun === true);
    if (isOver || metadata.namespace !== namespace) return false;
    const asked = spec.location?.path.replace(/\/?$/, "/");
    return spec.backupName === name || (asked !== undefined && asked === path);
  });
}

interface Kept {
  readonly name: string;
  readonly refusal: Finding;
}

interface Retained {
  readonly removed: readonly string[];
  /** The first that does not go, and why. */
  readonly kept: Kept | undefined;
}

async function report(
  { kube, events, cache, clock }: RetentionDeps,
  { object, spec }: RetainedSchedule,
  { removed, kept }: Retained,
): Promise<void> {
  // as it was reported in this pass
  const current = cache.backupSchedules.get(refOf(object));
  if (current?.metadata.uid !== object.metadata.uid) return;
  const before = current.status ?? {};
  const statement = statementOf(spec, kept, object.metadata.generation ?? 0);
  const status = { ...before, conditions: withStatements(before.conditions, [statement], clock.now()) };
  const said = before.conditions?.find(({ type }) => type === statement.type);
  const isNew = said?.status !== statement.status || said.reason !== statement.reason;
  const rule = `spec.retention keeps ${retentionText(spec.retention ?? {})}`;
  const announced: readonly Announcement[] = [
    ...(removed.length === 0
      ? []
      : [
          {
            type: "Normal",
            reason: "BackupRemoved",
            message: `removed with its data: ${removed.join(", ")}; ${rule}`,
          } as const,
        ]),
    ...(kept !== undefined && isNew
      ? [{ type: "Warning", reason: "BackupNotRemoved", message: statement.message } as const]
      : []),
  ];
  if (isSame(before, status) && announced.length === 0) return;
  const update = () => kube.update(BackupSchedules, { ...current, status }, { subresource: "status" });
  cache.backupSchedules.learn(await events.recordAhead(current, announced, update));
}

function statementOf(
  { retention = {} }: BackupScheduleSpec,
  kept: Kept | undefined,
  observedGeneration: number,
): Statement {
  const said = { type: "Retention", observedGeneration };
  if (kept !== undefined) {
    const { reason, message } = conditionWords(kept.refusal);
    return { ...said, status: "False", reason, message: `${kept.name} is not removed: ${message}` };
  }
  if (retention.count === undefined && retention.ageDays === undefined)
    return { ...said, status: "True", reason: "KeepsAll", message: "every backup is kept: there is no spec.retention" };
  return { ...said, status: "True", reason: "Keeps", message: `kept are ${retentionText(retention)}` };
}

const HALF_GONE = "HalfRemoved";
/** So many are tried in one pass, and none is begun after so long: other schedules wait meanwhile. */
const MOST_AT_ONCE = 5;
const LONGEST_MS = 30_000;
const SOON_MS = 1_000;
