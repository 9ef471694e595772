import type { Clock } from "#kit/base/clock";
import type { ClusterStatus, UserModuleStatus } from "../../../core/api/cluster-status.ts";
import type { StoreEnterpriseCluster } from "../../../core/api/kinds.ts";
import { editObject } from "../../../core/api/kubectl.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { EventRecorder } from "#kit/kube/events";
import type { Kube, Stored } from "#kit/kube/kube";
import { changeObject } from "#kit/kube/records";
import { refOf } from "#kit/kube/ref";
import { isSame } from "#kit/kube/same";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { Clusters } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { announcements, findingEvents, type Announcement } from "../../../core/planner/cluster/announcements.ts";
import { block } from "../../../core/planner/findings/finding.ts";
import { readiness } from "../../../core/planner/findings/readiness.ts";
import type { Statement } from "../../../core/planner/findings/statement.ts";
import { upgradeBlockedStatement } from "../../../core/planner/cluster/conditions.ts";
import type { ClusterDecision } from "../../../core/planner/cluster/plan.ts";
import type { FindingLog } from "../objects/finding-log.ts";
import { withStatements } from "../objects/conditions.ts";
import { nextStatus } from "./status.ts";

export interface ReportDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly cache: InformerCache;
  readonly findings: FindingLog;
  /** What is known of the operator's own installation. */
  readonly installation: () => readonly Statement[];
}

/** Emits events for what is new, and writes the status after a pass. */
export async function report(
  deps: ReportDeps,
  observation: ClusterObservation,
  decision: ClusterDecision,
  userModules: readonly UserModuleStatus[] = observation.view.remembered.userModules ?? [],
): Promise<void> {
  const { rec, view } = observation;
  const next = nextStatus(observation, decision, deps.installation(), deps.clock.now());
  const status = userModules.length === 0 ? withoutUserModules(next) : { ...next, userModules: [...userModules] };
  await writeStatus(deps, rec, status, announcements(view, view.remembered, status));
  deps.findings.report("cluster", refOf(rec), status.findings ?? [], view.remembered.findings ?? []);
}

function withoutUserModules({ userModules: _dropped, ...status }: ClusterStatus): ClusterStatus {
  return status;
}

/** Writes that the cluster cannot even be looked at: all that is known is why. */
export async function reportForbidden(
  deps: ReportDeps,
  rec: Stored<StoreEnterpriseCluster>,
  finding: Finding,
): Promise<void> {
  const before = rec.status ?? {};
  const findings = [finding];
  const status = {
    ...before,
    findings,
    conditions: withStatements(
      before.conditions,
      [...notReady(finding), upgradeBlockedStatement(findings)],
      deps.clock.now(),
    ),
  };
  await writeStatus(deps, rec, status, findingEvents(before, status));
  deps.findings.report("cluster", refOf(rec), findings, before.findings ?? []);
}

/** Writes that the spec of `rec` cannot be read: `message` names the field. */
export async function reportUnreadable(
  deps: ReportDeps,
  rec: Stored<StoreEnterpriseCluster>,
  message: string,
): Promise<void> {
  const statement = { type: "UpgradeBlocked", status: "True", reason: "SpecInvalid", message } as const;
  const finding = block("SpecInvalid", message, editObject(`rec ${rec.metadata.name}`));
  const status: ClusterStatus = {
    ...rec.status,
    state: "Invalid",
    specStatus: "Invalid",
    observedGeneration: rec.metadata.generation ?? 0,
    conditions: withStatements(rec.status?.conditions, [...notReady(finding), statement], deps.clock.now()),
  };
  const isNew = rec.status?.state !== "Invalid";
  await writeStatus(deps, rec, status, isNew ? [{ type: "Warning", reason: "SpecInvalid", message }] : []);
  deps.findings.report("cluster", refOf(rec), [finding]);
}

/** The cluster does not reach its spec before a person acts. */
function notReady(finding: Finding): readonly Statement[] {
  const { id: reason, evidence: message } = finding;
  return readiness({ type: "Ready", status: "False", reason, message }, { isMoving: false, findings: [finding] });
}

/** Writes nothing when nothing differs. */
async function writeStatus(
  { kube, cache, events }: ReportDeps,
  rec: Stored<StoreEnterpriseCluster>,
  status: ClusterStatus,
  changes: readonly Announcement[],
): Promise<void> {
  if (isSame(rec.status ?? {}, status)) return;
  const written = await events.recordAhead(rec, changes, () =>
    changeObject(kube, Clusters, refOf(rec), (current) => ({ ...current, status }), STATUS),
  );
  if (written !== undefined) cache.clusters.learn(written);
}

const STATUS = { subresource: "status" } as const;
