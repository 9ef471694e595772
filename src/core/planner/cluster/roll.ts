import type { Finding } from "../../api/parts.ts";
import { checkInput } from "../prerequisites/check-input.ts";
import { othersAreActive, othersAreInService } from "../prerequisites/nodes.ts";
import { firstFindingAt } from "../prerequisites/run.ts";
import { databasesOn, nodeOf, uidOf, type ClusterView, type NodePod, type Workload } from "../view/cluster-view.ts";
import { firstComingBack, gate, givenBack, highestFirst, isNodeBusy, openGate } from "./in-service.ts";
import { closedPartition, releasedPods } from "./partition.ts";
import { areRefused, isUpdated, missingPods } from "./pods.ts";
import { act, waitFor, waitUnasked } from "../findings/step.ts";
import { holdPods, writeWorkload, type RollStep } from "./step.ts";
import { stuckPod } from "./stuck-pod.ts";

/**
 * The next step of bringing every pod to the wanted template, one at a time from the highest ordinal down, each derived
 * from what is observed (docs/decisions/0004). `wanted` is the hash of the wanted template.
 */
export function rollStep(view: ClusterView, workload: Workload, wanted: string): RollStep {
  const isWritten = workload.template === wanted;
  if (!workload.observed) return behindStep(view, workload, isWritten);
  const fresh = view.pods.filter((pod) => isWritten && isUpdated(pod, workload));
  const [next, ...others] = view.pods.filter((pod) => !fresh.includes(pod)).toSorted(highestFirst);
  const step =
    heldStep(view, workload, isWritten ? next : undefined) ??
    givenBack(view, next !== undefined && isObjected(view, next) ? [next, ...others] : others) ??
    firstComingBack(view, fresh) ??
    missingPods(view, workload, isWritten);
  if (step !== undefined) return step;
  if (next === undefined) return openGate(fresh, "every node is back");
  if (next.deleting) return awaitRemoval(view, next);
  return isWritten && workload.partition <= next.ordinal ? letGo(view, next, fresh) : release(view, next);
}

/** The StatefulSet controller has not seen the last writing: it takes it up, unless it is busy with pods that are refused. */
function behindStep(view: ClusterView, workload: Workload, isWritten: boolean): RollStep {
  const refused = areRefused(view) ? missingPods(view, workload, isWritten) : undefined;
  return refused ?? waitUnasked("StatefulSetBehind", "the StatefulSet controller takes up the new template");
}

/**
 * Takes back the release of pods that no check allows any more: a pod is released alone, once it is evacuated, and only while no other pod is
 * away.
 */
function heldStep(view: ClusterView, workload: Workload, next: NodePod | undefined): RollStep | undefined {
  const released = releasedPods(view.pods, workload);
  const may = released.every((pod) => pod === next && isLeft(view, pod) && !isObjected(view, pod));
  return may
    ? undefined
    : holdPods(
        closedPartition(view.pods, workload),
        `${released.map(({ ordinal }) => `pod ${view.name}-${ordinal}`).join(", ")} must not be replaced now`,
      );
}

/** Another node is away, or a user keeps one out of service: the operator must not take a second one. */
function isObjected(view: ClusterView, touching: NodePod): boolean {
  const input = checkInput(view, { touching });
  if (isRepaired(view, touching)) return false;
  return view.cluster.reachable && [othersAreActive, othersAreInService].some(({ find }) => find(input) !== undefined);
}

/**
 * The replacement of a pod that does not run takes no node away but repairs one, also when others do not run either. A pod whose volume would go
 * with it must not hold data.
 */
function isRepaired(view: ClusterView, pod: NodePod): boolean {
  if (!view.cluster.reachable || pod.containerReady || nodeOf(view, pod)?.active === true) return false;
  return view.spec.persistentSpec.enabled || databasesOn(view, uidOf(pod), () => true).length === 0;
}

function objectionTo(view: ClusterView, touching: NodePod): Finding | undefined {
  if (isRepaired(view, touching)) return undefined;
  return firstFindingAt("step", checkInput(view, { touching }));
}

/** Prepares `pod` for its replacement: gate, evacuation, then the write that lets the StatefulSet controller go on. */
function release(view: ClusterView, pod: NodePod): RollStep {
  const objection = objectionTo(view, pod);
  const node = nodeOf(view, pod);
  if (objection !== undefined) {
    const back = node?.maintenance === true ? undefined : givenBack(view, [pod]);
    return back ?? waitFor(objection);
  }
  if (pod.inService) return gate(pod, false, `pod ${view.name}-${pod.ordinal} is next`);
  if (!isLeft(view, pod)) {
    if (node?.maintenance === false)
      return act(
        { kind: "evacuate", node: uidOf(pod) },
        `node ${uidOf(pod)} is next: its primaries, leadership and clients leave`,
      );
    // a user left it the leadership when it went into maintenance, or it leads again since no other node could
    if (node?.leader === true && !node.acceptsClients && !isNodeBusy(view, uidOf(pod)))
      return act(
        { kind: "take-back", node: uidOf(pod) },
        `node ${uidOf(pod)} leads the cluster and is evacuated again`,
      );
    return waitUnasked("EvacuatingNode", stillOn(view, pod));
  }
  return writeWorkload(pod.ordinal, `node ${uidOf(pod)} is evacuated`);
}

/** Lets the pod be replaced: opens the gate of the pod replaced before, unless a check objects now. */
function letGo(view: ClusterView, pod: NodePod, fresh: readonly NodePod[]): RollStep {
  const opened = openGate(fresh, `node ${uidOf(pod)} is evacuated and may be replaced`);
  if (opened.kind === "rest") return waitForReplacement(view, pod);
  const objection = objectionTo(view, pod);
  return objection === undefined ? opened : waitFor(objection);
}

/** A pod that is going cannot be kept: it is waited for, and one that does not end needs a user. */
function awaitRemoval(view: ClusterView, pod: NodePod): RollStep {
  const stuck = stuckPod(view, pod);
  return stuck === undefined ? waitForReplacement(view, pod) : waitFor(stuck);
}

function waitForReplacement({ name }: ClusterView, { ordinal }: NodePod): RollStep {
  return waitUnasked("PodReplacing", `pod ${name}-${ordinal} is being replaced`);
}

/**
 * The pod's node is evacuated and out of service. A node that is down counts too: nothing can be moved from it, and its replacement is the
 * repair.
 */
function isLeft(view: ClusterView, pod: NodePod): boolean {
  const node = nodeOf(view, pod);
  return !pod.inService && (node?.active !== true || (node.maintenance && stillOn(view, pod) === ""));
}

/** Names what still has to leave the node of `pod`; empty when nothing does. */
function stillOn(view: ClusterView, pod: NodePod): string {
  const uid = uidOf(pod);
  const node = nodeOf(view, pod);
  const primaries = databasesOn(view, uid, ({ primary }) => primary);
  const named = primaries.map(({ name, waitingFor: why }) => `"${name}"${why && ` (${why})`}`);
  const parts = [
    ...(node?.leader === true ? ["leads the cluster"] : []),
    ...(named.length > 0 ? [`has the ${named.length === 1 ? "primary" : "primaries"} of ${joinWithAnd(named)}`] : []),
    ...(node?.acceptsClients === true ? ["takes clients"] : []),
  ];
  if (parts.length > 0) return `node ${uid} still ${joinWithAnd(parts)}`;
  return isNodeBusy(view, uid) ? `node ${uid} is being evacuated` : "";
}

/** `a, b and c`. */
function joinWithAnd(parts: readonly string[]): string {
  return [parts.slice(0, -1).join(", "), ...parts.slice(-1)].filter((part) => part !== "").join(" and ");
}
