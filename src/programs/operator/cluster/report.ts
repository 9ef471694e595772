import type { Clock } from "../../../core/base/clock.ts";
import type { ClusterStatus, UserModuleStatus } from "../../../core/api/cluster-status.ts";
import type { StoreEnterpriseCluster } from "../../../core/api/kinds.ts";
import { editObject } from "../../../core/api/kubectl.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { EventRecorder } from "../../../ports/kube/events.ts";
import type { Kube, Stored } from "../../../ports/kube/kube.ts";
import { changeObject } from "../../../ports/kube/records.ts";
import { refOf } from "../../../ports/kube/ref.ts";
import { isSame } from "../../../ports/kube/same.ts";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { Clusters } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { announcements, findingEvents } from "../../../core/planner/cluster/announcements.ts";
import { block } from "../../../core/planner/findings/finding.ts";
import type { Statement } from "../../../core/planner/findings/statement.ts";
import { blocked } from "../../../core/planner/cluster/conditions.ts";
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

/** Writes what a pass leaves behind and emits events for what is new. */
export async function report(
  deps: ReportDeps,
  observation: ClusterObservation,
  decision: ClusterDecision,
  userModules: readonly UserModuleStatus[] = observation.view.remembered.userModules ?? [],
): Promise<void> {
  const { rec, view } = observation;
  const next = nextStatus(observation, decision, deps.installation(), deps.clock.now());
  const status = userModules.length === 0 ? withoutUserModules(next) : { ...next, userModules: [...userModules] };
  await writeStatus(deps, rec, status);
  deps.findings.report("cluster", refOf(rec), status.findings ?? [], view.remembered.findings ?? []);
  for (const { type, reason, message } of announcements(view, view.remembered, status)) {
    deps.events.record(rec, type, reason, message);
  }
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
    conditions: withStatements(before.conditions, [blocked(findings)], deps.clock.now()),
  };
  await writeStatus(deps, rec, status);
  deps.findings.report("cluster", refOf(rec), findings, before.findings ?? []);
  for (const { type, reason, message } of findingEvents(before, status)) deps.events.record(rec, type, reason, message);
}

/** Writes that the spec of `rec` cannot be read: `message` names the field. */
export async function reportUnreadable(
  deps: ReportDeps,
  rec: Stored<StoreEnterpriseCluster>,
  message: string,
): Promise<void> {
  const statement = { type: "UpgradeBlocked", status: "True", reason: "SpecInvalid", message } as const;
  const status: ClusterStatus = {
    ...rec.status,
    state: "Invalid",
    specStatus: "Invalid",
    observedGeneration: rec.metadata.generation ?? 0,
    conditions: withStatements(rec.status?.conditions, [statement], deps.clock.now()),
  };
  await writeStatus(deps, rec, status);
  deps.findings.report("cluster", refOf(rec), [block("SpecInvalid", message, editObject(`rec ${rec.metadata.name}`))]);
  if (rec.status?.state !== "Invalid") deps.events.record(rec, "Warning", "SpecInvalid", message);
}

/** Writes nothing when nothing differs. */
async function writeStatus(
  { kube, cache }: ReportDeps,
  rec: Stored<StoreEnterpriseCluster>,
  status: ClusterStatus,
): Promise<void> {
  if (isSame(rec.status ?? {}, status)) return;
  const written = await changeObject(kube, Clusters, refOf(rec), (current) => ({ ...current, status }), STATUS);
  if (written !== undefined) cache.clusters.learn(written);
}

const STATUS = { subresource: "status" } as const;
