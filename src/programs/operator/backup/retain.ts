import type { BackupScheduleSpec } from "../../../core/api/backup-schedule-spec.ts";
import type { BackupReason } from "../../../core/backup/decide.ts";
import { decideRetention, retentionText } from "../../../core/backup/retention.ts";
import type { ScheduledRun } from "../../../core/backup/schedule-runs.ts";
import type { Announcement } from "../../../core/planner/cluster/announcements.ts";
import type { Statement } from "../../../core/planner/findings/statement.ts";
import { refOf } from "#kit/kube/ref";
import { isSame } from "#kit/kube/same";
import { AT_REST, lookAgain, type Outcome } from "#kit/reconcile/outcome";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { Backups, BackupSchedules } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { withStatements } from "../objects/conditions.ts";
import type { StoredBackup } from "./report.ts";
import type { ScheduleReportDeps, StoredSchedule } from "./schedule-report.ts";

/** With what backups of schedules are removed. */
export interface RetentionDeps extends ScheduleReportDeps {
  readonly cache: ScheduleReportDeps["cache"] & Pick<InformerCache, "restores">;
  /** Removes what an object has saved; the reason when it does not go. */
  readonly removeSaved: (backup: StoredBackup) => Promise<BackupReason | undefined>;
}

/** Removes the backups of a schedule that it does not keep, what was saved before the object that names it, and says what is kept. */
export async function retainBackups(
  deps: RetentionDeps,
  object: StoredSchedule,
  spec: BackupScheduleSpec,
  runs: readonly ScheduledRun[],
): Promise<Outcome> {
  const { namespace = "default" } = object.metadata;
  const goes = decideRetention(runs, spec.retention ?? {}, (name) => isRestored(deps, name, namespace));
  const removed: string[] = [];
  let kept: (BackupReason & { readonly name: string }) | undefined;
  for (const name of goes.slice(0, MOST_AT_ONCE)) {
    const backup = deps.cache.backups.get({ name, namespace });
    if (backup === undefined) continue;
    const reason = await deps.removeSaved(backup);
    if (reason !== undefined) {
      kept ??= { name, ...reason };
      continue;
    }
    await deps.kube.delete(Backups, refOf(backup), { uid: backup.metadata.uid });
    removed.push(name);
  }
  await report(deps, object, { spec, removed, kept });
  return goes.length === 0 ? AT_REST : lookAgain(kept === undefined ? SOON_MS : RETRY_MS);
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

interface Retained {
  readonly spec: BackupScheduleSpec;
  readonly removed: readonly string[];
  /** The first that does not go, and why. */
  readonly kept: (BackupReason & { readonly name: string }) | undefined;
}

async function report(
  { kube, events, cache, clock }: RetentionDeps,
  object: StoredSchedule,
  { spec, removed, kept }: Retained,
): Promise<void> {
  // as it was reported in this pass
  const current = cache.backupSchedules.get(refOf(object)) ?? object;
  const before = current.status ?? {};
  const statement = statementOf(spec, kept, current.metadata.generation ?? 0);
  const status = { ...before, conditions: withStatements(before.conditions, [statement], clock.now()) };
  const isNew = before.conditions?.every(({ message }) => message !== statement.message) ?? true;
  const rule = `spec.retention keeps ${retentionText(spec.retention ?? {})}`;
  const announced: readonly Announcement[] = [
    ...removed.map((name) => {
      return { type: "Normal", reason: "BackupRemoved", message: `removed ${name} with its data: ${rule}` } as const;
    }),
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
  kept: Retained["kept"],
  observedGeneration: number,
): Statement {
  const said = { type: "Retention", observedGeneration };
  if (kept !== undefined)
    return { ...said, status: "False", reason: kept.reason, message: `${kept.name} is not removed: ${kept.message}` };
  if (retention.count === undefined && retention.ageDays === undefined)
    return { ...said, status: "True", reason: "KeepsAll", message: "every backup is kept: there is no spec.retention" };
  return { ...said, status: "True", reason: "Keeps", message: `kept are ${retentionText(retention)}` };
}

/** So many are removed in one pass: other schedules wait meanwhile. */
const MOST_AT_ONCE = 5;
const SOON_MS = 1_000;
/** How soon what does not go is tried again, in milliseconds. */
const RETRY_MS = 600_000;
