import type { ClusterState } from "../../api/states.ts";
import { recoveryPhase } from "./recovery-phase.ts";
import { hasLostMajority } from "../view/lost.ts";
import { runningTag } from "../view/target.ts";
import { nodeOf, type ClusterView, type Unreachable } from "../view/cluster-view.ts";

export interface StateFacts {
  readonly specInvalid: boolean;
  /** A wanted upgrade, or the spec of one, has a blocking finding. */
  readonly upgradeBlocked: boolean;
  readonly rolling: "version" | "template" | undefined;
}

/** REC STATE (§3), computed from what is observed each time; the first row that holds. */
export function clusterState(view: ClusterView, facts: StateFacts): ClusterState {
  const active = view.pods.filter((pod) => nodeOf(view, pod)?.active === true).length;
  const rows: readonly (readonly [holds: boolean, state: ClusterState])[] = [
    [view.deleting, "Deleting"],
    [facts.specInvalid, "Invalid"],
    [view.workload === undefined && facts.upgradeBlocked, "InvalidUpgrade"],
    ...recoveryRows(view),
    [view.workload === undefined && wasRunning(view) && view.pods.length === 0, "ClusterRecreating"],
    [view.workload === undefined, "PendingCreation"],
    [!wasRunning(view) && active === 0, "BootstrappingFirstPod"],
    [!wasRunning(view) && !isComplete(view), "Initializing"],
    [facts.upgradeBlocked, "InvalidUpgrade"],
    [facts.rolling === "version", "Upgrade"],
    [facts.rolling === "template", "RunningRollingUpdate"],
    [!view.cluster.reachable, "Error"],
  ];
  return rows.find(([holds]) => holds)?.[1] ?? "Running";
}

function recoveryRows(view: ClusterView): readonly (readonly [holds: boolean, state: ClusterState])[] {
  const phase = recoveryPhase(view);
  const wasReset = (view.remembered.recovery?.pods ?? []).length > 0;
  return [
    [phase === "reset" || (phase === "begin" && hasLostMajority(view)), "RecoveryReset"],
    [phase === "first", "RecoveringFirstPod"],
    [phase === "joining" || (phase === "databases" && wasReset && !isComplete(view)), "Initializing"],
  ];
}

/** The cluster once had all its nodes; before that it is being made. */
export function wasRunning({ remembered }: ClusterView): boolean {
  return remembered.version !== undefined;
}

/** Why a cluster does not answer: its nodes start while it is being made; later that is trouble. */
export function silence(
  view: ClusterView,
  { reason }: Unreachable,
): { readonly reason: "NodesStarting" | "ClusterUnreachable"; readonly message: string } {
  return wasRunning(view)
    ? { reason: "ClusterUnreachable", message: reason }
    : { reason: "NodesStarting", message: `the nodes are starting; ${reason}` };
}

/** Every desired node is active and in service, and reports that it runs the tag that its pod is made from. */
export function isComplete(view: ClusterView): boolean {
  return (
    view.pods.length === (view.workload?.replicas ?? view.spec.nodes) &&
    view.pods.every((pod) => pod.inService && runningTag(view, pod) === pod.nodeTag)
  );
}
