import { expectedPods } from "./recovery-phase.ts";
import type { ClusterView, Workload } from "../view/cluster-view.ts";
import { firstComingBack, givenBack, openGate } from "./in-service.ts";
import { closedPartition, releasedPods } from "./partition.ts";
import { isUpdated, missingPods } from "./pods.ts";
import { REST, waitFor } from "../findings/step.ts";
import { holdPods, type RollStep } from "./step.ts";
import { stuckPod } from "./stuck-pod.ts";
import { isStuckEnding } from "../view/overdue.ts";

/**
 * The next step that keeps nodes in service while no pod may be replaced: nodes that the roll took out come back. A roll that was stopped
 * half-way stays stopped between two pods: the gate of the last new pod stays shut, so that `kubectl rollout status` waits.
 */
export function serviceStep(view: ClusterView, workload: Workload, isAtRest: boolean): RollStep {
  if (!workload.observed) return REST;
  const { pods } = view;
  if (releasedPods(pods, workload).length > 0)
    return holdPods(closedPartition(pods, workload), "no pod may be replaced now");
  const settled = pods.filter((pod) => isUpdated(pod, workload));
  const others = pods.filter((pod) => !settled.includes(pod));
  const step = givenBack(view, others) ?? firstComingBack(view, settled);
  if (step !== undefined) return step;
  const lost = others.find(isStuckEnding);
  const stuck = lost && stuckPod(view, lost);
  if (stuck !== undefined) return waitFor(stuck);
  return others.length > 0 && !isAtRest
    ? REST
    : (missingPods(view, workload, true) ?? openGate(settled, "every node is there"));
}

/** The next step of bringing every pod that can run into service, whatever it is made from. */
export function returnStep(view: ClusterView): RollStep {
  const pods = expectedPods(view);
  return firstComingBack(view, pods) ?? openGate(pods, "every node that can is back");
}
