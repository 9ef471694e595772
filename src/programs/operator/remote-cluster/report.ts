import type { Clock } from "#kit/base/clock";
import type { RemoteClusterStatus } from "../../../core/api/active-active.ts";
import type { EventRecorder } from "#kit/kube/events";
import type { Kube } from "#kit/kube/kube";
import { refOf } from "#kit/kube/ref";
import { isSame } from "#kit/kube/same";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { RemoteClusters } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import type { SiteState } from "../../../mechanisms/observe/sites/sites.ts";
import { readiness } from "../../../core/planner/findings/readiness.ts";
import type { Statement } from "../../../core/planner/findings/statement.ts";
import type { RemoteClusterVerdict } from "../../../core/planner/active-active/remote-cluster.ts";
import type { Announcement } from "../../../core/planner/cluster/announcements.ts";
import type { FindingLog } from "../objects/finding-log.ts";
import { withStatements } from "../objects/conditions.ts";
import type { Rerc } from "./participant.ts";
import { deleteObjects } from "../../../core/api/kubectl.ts";

export interface RemoteClusterReportDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly cache: InformerCache;
  readonly findings: FindingLog;
}

/** What a pass over a remote cluster knows in the end. */
export interface RemoteClusterReport {
  readonly verdict: RemoteClusterVerdict;
  readonly polled: SiteState;
  readonly isOwn: boolean;
  /** Active-Active databases that keep it from being deleted; empty when it is not being deleted. */
  readonly waitsFor: readonly string[];
}

/** Says in an event why the cluster is not reached, and that it is again; writes the status when it differs. */
export async function reportRemoteCluster(
  { kube, clock, events, cache, findings }: RemoteClusterReportDeps,
  rerc: Rerc,
  report: RemoteClusterReport,
): Promise<void> {
  const before = rerc.status ?? {};
  const status = statusOf(rerc, before, report, clock.now());
  findings.report("remoteCluster", refOf(rerc), report.verdict.findings);
  if (isSame(before, status)) return;
  const write = () => kube.update(RemoteClusters, { ...rerc, status }, { subresource: "status" });
  cache.remoteClusters.learn(await events.recordAhead(rerc, remoteClusterEvents(before, report), write));
}

function remoteClusterEvents(before: RemoteClusterStatus, report: RemoteClusterReport): readonly Announcement[] {
  return statementsOf(report)
    .filter(({ type }) => type === "Reachable" || type === "Removable")
    .filter(({ type, reason }) => before.conditions?.find((known) => known.type === type)?.reason !== reason)
    .map(({ reason, message }) =>
      reason === "Active"
        ? { type: "Normal", reason: "RemoteClusterActive", message }
        : { type: "Warning", reason, message },
    );
}

/** A person has to correct its Secret, its certificate and its spec; a network comes back unasked. */
const BLOCKS = "block" as const;

function statementsOf({ verdict, waitsFor }: RemoteClusterReport): readonly Statement[] {
  const { reachable, findings } = verdict;
  const known = findings.map((finding) => (finding.id === "Unreachable" ? finding : { ...finding, severity: BLOCKS }));
  const said = [reachable, ...readiness({ ...reachable, type: "Ready" }, { isMoving: false, findings: known })];
  if (waitsFor.length === 0) return said;
  const message = `it goes once no Active-Active database refers to it: ${deleteObjects("reaadb", waitsFor)}`;
  return [...said, { type: "Removable", status: "False", reason: "InUse", message }];
}

function statusOf(
  { metadata }: Rerc,
  before: RemoteClusterStatus,
  report: RemoteClusterReport,
  now: Date,
): RemoteClusterStatus {
  const { verdict, polled, isOwn } = report;
  const generation = metadata.generation ?? 0;
  const operator = "evidence" in polled.answer ? undefined : polled.answer.cluster.operator_version;
  return {
    ...before,
    local: isOwn,
    status: verdict.status,
    specStatus: verdict.specStatus,
    observedGeneration: generation,
    ...(polled.secretVersion === undefined ? {} : { internalObservedSecretResourceVersion: polled.secretVersion }),
    ...(operator === undefined ? {} : { operatorVersion: operator }),
    conditions: withStatements(
      before.conditions,
      statementsOf(report).map((statement) => ({ ...statement, observedGeneration: generation })),
      now,
    ),
  };
}
