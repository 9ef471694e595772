import type { Clock } from "#kit/base/clock";
import type { EventRecorder } from "#kit/kube/events";
import type { Kube } from "#kit/kube/kube";
import { isSame } from "#kit/kube/same";
import type { RestorePhase, RestoreStatus } from "../../../core/api/restore-spec.ts";
import type { BackupReason } from "../../../core/backup/decide.ts";
import type { Announcement } from "../../../core/planner/cluster/announcements.ts";
import type { Statement } from "../../../core/planner/findings/statement.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { Restores } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { withStatements } from "../objects/conditions.ts";
import type { StoredRestore } from "./find.ts";

/** What a pass over a restore has come to. */
export interface RestoreReport extends BackupReason {
  readonly phase: RestorePhase;
  /** The cluster was asked to bring the data in this pass. */
  readonly isBegun?: true;
  /** What is known now beside that. */
  readonly known?: Pick<RestoreStatus, "source" | "database" | "databaseMade" | "bytes">;
}

/** With what it is said. */
export interface RestoreReportDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly cache: Pick<InformerCache, "restores">;
}

/** Writes the status when it differs, and leaves an event when the restore begins or ends. */
export async function reportRestore(
  { kube, clock, events, cache }: RestoreReportDeps,
  object: StoredRestore,
  report: RestoreReport,
): Promise<void> {
  const before = object.status ?? {};
  const status = statusOf(object, before, report, clock.now());
  if (isSame(before, status)) return;
  const write = () => kube.update(Restores, { ...object, status }, { subresource: "status" });
  cache.restores.learn(await events.recordAhead(object, eventsOf(before, report), write));
}

function statusOf({ metadata }: StoredRestore, before: RestoreStatus, report: RestoreReport, now: Date): RestoreStatus {
  const { phase, isBegun = false, known = {} } = report;
  const observedGeneration = metadata.generation ?? 0;
  return {
    ...before,
    ...known,
    phase,
    ...(isBegun ? { startTime: now.toISOString(), attempts: (before.attempts ?? 0) + 1 } : {}),
    ...(phase === "Completed" ? { completionTime: now.toISOString() } : {}),
    observedGeneration,
    conditions: withStatements(before.conditions, statementsOf(report, observedGeneration), now),
  };
}

function eventsOf(
  { phase: before }: RestoreStatus,
  { phase, message, isBegun }: RestoreReport,
): readonly Announcement[] {
  if (isBegun) return [{ type: "Normal", reason: "RestoreStarted", message }];
  if (phase === before) return [];
  if (phase === "Completed") return [{ type: "Normal", reason: "RestoreCompleted", message }];
  return phase === "Failed" ? [{ type: "Warning", reason: "RestoreFailed", message }] : [];
}

/** `Complete` with the conditions that deploy tools read beside it. */
function statementsOf({ phase, reason, message }: RestoreReport, observedGeneration: number): readonly Statement[] {
  const isOnItsWay = phase === "Running" || (phase === "Pending" && PASSING.includes(reason));
  const isOver = phase === "Completed" || phase === "Planned";
  const say = (type: string, holds: boolean): Statement => {
    return { type, status: holds ? "True" : "False", reason, message, observedGeneration };
  };
  return [
    say("Complete", phase === "Completed"),
    say("Ready", isOver),
    say("Reconciling", isOnItsWay),
    say("Stalled", !isOver && !isOnItsWay),
  ];
}

/** What ends by itself; everything else that keeps a restore waits for a person. */
const PASSING: readonly string[] = [
  "AgentBackupGone",
  "AgentBackupQuestions",
  "AnotherRuns",
  "BackupNotComplete",
  "ClusterNotReady",
  "DatabaseBusy",
  "DatabaseMade",
  "DatabaseNotReady",
  "Loading",
  "Lost",
  "ObjectStoreBusy",
];
