import type { ClusterView, NodePod, Workload } from "../view/cluster-view.ts";
import { waitUnasked } from "../findings/step.ts";
import type { RollStep } from "./step.ts";

/** The pod is made from the present template, and stays. */
export function isUpdated(pod: NodePod, workload: Workload): boolean {
  return workload.observed && pod.revision === workload.updateRevision && !pod.deleting;
}

/** The step that waits for pods that are to be made; undefined when all are there. */
export function missingPods(view: ClusterView, workload: Workload): RollStep | undefined {
  const missing = workload.replicas - view.pods.length;
  return missing <= 0
    ? undefined
    : waitUnasked(
        "PodMissing",
        `${missing} of ${workload.replicas} node pods ${missing === 1 ? "is" : "are"} not there yet`,
      );
}
