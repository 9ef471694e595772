import type { ClusterView, NodePod, Workload } from "../view/cluster-view.ts";
import { activePods } from "../view/lost.ts";

/**
 * How far a recovery is: `begin`, the pods that are to go are noted; `reset`, they go; `first`, no node is active yet; `joining`,
 * others are on their way; `databases`, they come back; `end`, nothing is left to do.
 */
export type RecoveryPhase = "begin" | "reset" | "first" | "joining" | "databases" | "end";

/** The phase of the recovery that `spec.clusterRecovery` asks for; undefined when it asks for none or there is no StatefulSet. */
export function recoveryPhase(view: ClusterView): RecoveryPhase | undefined {
  const { spec, remembered, workload, deleting, pods } = view;
  if (spec.clusterRecovery !== true || workload === undefined || deleting) return undefined;
  const { recovery } = remembered;
  if (recovery === undefined || recovery.finishedAt !== undefined) return "begin";
  return pods.some(({ id }) => recovery.pods.includes(id)) ? "reset" : returnPhase(view, workload);
}

/** The phase once the pods that were to go have gone. */
function returnPhase(view: ClusterView, workload: Workload): RecoveryPhase {
  const { pods, cluster } = view;
  const active = activePods(view);
  if (!cluster.reachable || active.length === 0) return "first";
  if (pods.length < workload.replicas || expectedPods(view).some((pod) => !active.includes(pod))) return "joining";
  const isBack = cluster.databases.every(({ status }) => status !== "recovery");
  return isBack && expectedPods(view).every(({ inService }) => inService) ? "end" : "databases";
}

/** The pods that the recovery waits for: while others are active, a pod in trouble, for instance without a worker, is none of them. */
export function expectedPods({ pods }: ClusterView): readonly NodePod[] {
  return pods.filter(({ trouble }) => trouble === "");
}
