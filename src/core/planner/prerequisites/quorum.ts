import { getNodePods, patchCluster } from "../../api/kubectl.ts";
import { block } from "../findings/finding.ts";
import { activePods, hasLostMajority } from "../view/lost.ts";
import type { Check } from "./check.ts";

/** A cluster that had all its nodes once and lost most of them. A caller that may not ask it knows nothing of that. */
export const mostNodesAreActive: Check = {
  id: "QuorumLost",
  asks: "most nodes are active",
  at: ["plan"],
  needs: [],
  find({ view }) {
    const { name, remembered, cluster, workload } = view;
    const isUnknown = !cluster.reachable && cluster.cause !== undefined;
    if (remembered.version === undefined || isUnknown || !hasLostMajority(view)) return undefined;
    return block(
      "QuorumLost",
      `${activePods(view).length} of ${workload?.replicas ?? 0} nodes are active`,
      `see why the others are away (${getNodePods()}); when they do not come back: ${patchCluster(name, { clusterRecovery: true })}`,
    );
  },
};
