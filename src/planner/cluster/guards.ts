import type { Finding } from "../../api/parts.ts";
import { nodeOf, uidOf, type ClusterDatabase, type ClusterView, type NodePod } from "./view.ts";

/** A rule that is asked before `pod` is touched in a roll; an objection makes the roll wait, never fail. */
type StepGuard = (view: ClusterView, pod: NodePod) => Finding | undefined;

const GUARDS: readonly StepGuard[] = [
  clusterAnswers,
  othersAreActive,
  othersAreInService,
  databasesAreSettled,
  noActionRuns,
  primariesServe,
  replicasAreInSync,
];

/** The first objection to touching `pod` now; undefined when nothing stands in the way. */
export function objectionTo(view: ClusterView, pod: NodePod): Finding | undefined {
  for (const guard of GUARDS) {
    const finding = guard(view, pod);
    if (finding !== undefined) return finding;
  }
  return undefined;
}

function clusterAnswers({ cluster }: ClusterView): Finding | undefined {
  if (cluster.reachable) return undefined;
  return wait(
    "ClusterUnreachable",
    cluster.reason,
    "check the node pods: kubectl get pods -l storeenterprise.io/role=node",
  );
}

function othersAreActive(view: ClusterView, pod: NodePod): Finding | undefined {
  const down = view.pods.filter((other) => other.ordinal !== pod.ordinal && nodeOf(view, other)?.active !== true);
  const missing = (view.workload?.replicas ?? 0) - view.pods.length;
  if (down.length === 0 && missing <= 0) return undefined;
  const names = down.map((other) => `node ${uidOf(other)}${other.trouble === "" ? "" : ` (${other.trouble})`}`);
  return wait(
    "QuorumAtRisk",
    `not active: ${[...names, ...(missing > 0 ? [`${missing} pods that are not there`] : [])].join(", ")}`,
    `bring every node back first: kubectl describe pod ${view.name}-${down[0]?.ordinal ?? 0}`,
  );
}

function othersAreInService(view: ClusterView, pod: NodePod): Finding | undefined {
  const away = view.pods.filter((other) => other.ordinal !== pod.ordinal && nodeOf(view, other)?.maintenance === true);
  if (away.length === 0) return undefined;
  const uids = away.map(uidOf);
  return wait(
    "NodeInMaintenance",
    `in maintenance: node ${uids.join(", node ")}`,
    `end it: POST /v1/nodes/${uids[0]}/actions/maintenance_off`,
  );
}

function databasesAreSettled({ cluster }: ClusterView): Finding | undefined {
  const busy = cluster.reachable ? cluster.databases.filter(({ status }) => status !== "active") : [];
  if (busy.length === 0) return undefined;
  return wait(
    "DatabaseBusy",
    busy
      .map(({ name, status, waitingFor }) => `database "${name}" is ${status}${waitingFor && ` (${waitingFor})`}`)
      .join(", "),
    "the roll goes on once every database is active; see GET /v1/actions",
  );
}

function noActionRuns({ cluster }: ClusterView, pod: NodePod): Finding | undefined {
  const others = cluster.reachable ? cluster.actions.filter(({ object }) => object !== `node:${uidOf(pod)}`) : [];
  if (others.length === 0) return undefined;
  return wait(
    "ActionRunning",
    `running: ${others.map(({ name, object }) => `${name} of ${object}`).join(", ")}`,
    "the roll goes on once it ends; see GET /v1/actions",
  );
}

/** The replica on the node of `pod` may be the only copy that is left, and about to take over. */
function primariesServe({ cluster }: ClusterView, pod: NodePod): Finding | undefined {
  const isAway = ({ node, primary, inSync }: ClusterDatabase["instances"][number]): boolean =>
    primary && !inSync && node !== uidOf(pod);
  const away = cluster.reachable ? cluster.databases.filter(({ instances }) => instances.some(isAway)) : [];
  if (away.length === 0) return undefined;
  return wait(
    "PrimaryAway",
    `no primary serves: ${away.map(({ name, waitingFor }) => `"${name}"${waitingFor && ` (${waitingFor})`}`).join(", ")}`,
    "the roll goes on once it serves again or a replica has taken over; see GET /v1/bdbs",
  );
}

/** What the node of `pod` itself lacks is no reason to leave it as it is. */
function replicasAreInSync({ cluster }: ClusterView, pod: NodePod): Finding | undefined {
  const isLate = ({ node, primary, inSync }: ClusterDatabase["instances"][number]): boolean =>
    !primary && !inSync && node !== uidOf(pod);
  const late = cluster.reachable ? cluster.databases.filter(({ instances }) => instances.some(isLate)) : [];
  if (late.length === 0) return undefined;
  return wait(
    "ReplicaNotInSync",
    `a replica is behind in: ${late.map(({ name }) => `"${name}"`).join(", ")}`,
    "the roll goes on once it has caught up; see GET /v1/bdbs",
  );
}

function wait(id: string, evidence: string, remedy: string): Finding {
  return { id, severity: "wait", evidence, remedy };
}
