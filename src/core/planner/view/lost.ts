import { nodeOf, type ClusterView, type NodePod } from "./cluster-view.ts";

/** So few nodes are active that the cluster has no majority. */
export function hasLostMajority(view: ClusterView): boolean {
  return view.workload !== undefined && activePods(view).length <= view.workload.replicas / 2;
}

/** The pods whose nodes are active: the cluster says so, and it does not speak of an earlier pod of the same node. */
export function activePods(view: ClusterView): readonly NodePod[] {
  return view.pods.filter((pod) => pod.containerReady && nodeOf(view, pod)?.active === true);
}
