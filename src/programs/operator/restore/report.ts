import type { Clock } from "#kit/base/clock";
import type { EventRecorder } from "#kit/kube/events";
import type { Kube } from "#kit/kube/kube";
import { isSame } from "#kit/kube/same";
import type { RestorePhase, RestoreStatus } from "../../../core/api/restore-spec.ts";
import { runEvents, runStatements } from "../../../core/backup/run-statements.ts";
import type { ConditionWords } from "../../../core/planner/findings/statement.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { Restores } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { withStatements } from "../objects/conditions.ts";
import type { StoredRestore } from "./find.ts";

/** What a pass over a restore has come to. */
export interface RestoreReport extends ConditionWords {
  readonly phase: RestorePhase;
  /** It does not go on before a person acts. */
  readonly isStalled: boolean;
  /** The cluster was asked to bring the data in this pass. */
  readonly isBegun: boolean;
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
  cache.restores.learn(await events.recordAhead(object, runEvents("Restore", before.phase, report), write));
}

function statusOf({ metadata }: StoredRestore, before: RestoreStatus, report: RestoreReport, now: Date): RestoreStatus {
  const { phase, isBegun, isStalled, reason, message, known = {} } = report;
  const observedGeneration = metadata.generation ?? 0;
  const isComplete = phase === "Completed";
  const standing = { isComplete, isReady: isComplete || phase === "Planned", isStalled };
  const statements = runStatements({ reason, message }, standing, observedGeneration);
  return {
    ...before,
    ...known,
    phase,
    ...(isBegun ? { startTime: now.toISOString(), attempts: (before.attempts ?? 0) + 1 } : {}),
    ...(isComplete ? { completionTime: now.toISOString() } : {}),
    observedGeneration,
    conditions: withStatements(before.conditions, statements, now),
  };
}
