import { engineFails } from "../prerequisites/engines-start.ts";
import { failingOn } from "../view/failing-engines.ts";
import { databasesOn, nodeOf, uidOf, type ClusterNode, type ClusterView, type NodePod } from "../view/cluster-view.ts";
import { silence } from "./state.ts";
import { act, REST, waitFor, waitUnasked } from "../findings/step.ts";
import type { RollStep } from "./step.ts";
import { stuckPod } from "./stuck-pod.ts";

/** The next step for the highest of `pods` that is not back in service; undefined when each carries its share. */
export function firstComingBack(view: ClusterView, pods: readonly NodePod[]): RollStep | undefined {
  for (const pod of pods.toSorted(highestFirst)) {
    const step = intoService(view, pod);
    if (step !== undefined) return step;
  }
  return undefined;
}

/**
 * The act that returns a pod to service that is not to be replaced now; undefined when there is none. A node whose gate is shut is in
 * maintenance because the roll asked for it, whatever the template is now.
 */
export function givenBack(view: ClusterView, pods: readonly NodePod[]): RollStep | undefined {
  for (const pod of pods.toSorted(highestFirst)) {
    if (pod.inService || pod.deleting) continue;
    const step = intoService(view, pod);
    if (step === undefined) return gate(pod, true, `pod ${view.name}-${pod.ordinal} is not replaced now`);
    if (step.kind === "act") return step;
  }
  return undefined;
}

/** Opens the gate of a pod that is ready for it; rest when all are open. */
export function openGate(pods: readonly NodePod[], why: string): RollStep {
  const shut = pods.toSorted(highestFirst).find(({ inService }) => !inService);
  return shut === undefined ? REST : gate(shut, true, why);
}

/** Sets the gate of a pod. */
export function gate({ ordinal }: NodePod, inService: boolean, why: string): RollStep {
  return act({ kind: "gate", ordinal, inService }, why);
}

/** An action of the node itself runs: maintenance begins or ends. */
export function isNodeBusy({ cluster }: ClusterView, uid: number): boolean {
  return cluster.reachable && cluster.actions.some(({ object }) => object === `node:${uid}`);
}

/** The order in which pods are replaced. */
export function highestFirst(a: NodePod, b: NodePod): number {
  return b.ordinal - a.ordinal;
}

/**
 * What a pod still needs to carry its share; undefined when it does. A node in maintenance whose gate is open was put
 * there by a user, and stays there.
 */
function intoService(view: ClusterView, pod: NodePod): RollStep | undefined {
  const node = nodeOf(view, pod);
  const uid = uidOf(pod);
  const stuck = stuckPod(view, pod);
  if (stuck !== undefined) return waitFor(stuck);
  if (!view.cluster.reachable) {
    const { reason, message } = silence(view, view.cluster);
    return waitUnasked(reason, message);
  }
  if (node === undefined || !node.active || !pod.containerReady) {
    return waitUnasked("NodeJoining", `node ${uid} is not active yet`);
  }
  return pod.inService ? undefined : toGate(view, node);
}

/** What an active node still needs before the gate of its pod is opened; undefined when nothing is missing. */
function toGate(view: ClusterView, { uid, maintenance, acceptsClients }: ClusterNode): RollStep | undefined {
  const late = databasesOn(view, uid, ({ primary, inSync }) => !primary && !inSync);
  const failing = failingOn(view, uid);
  if (failing.length > 0) return waitFor(engineFails(view.name, failing));
  if (late.length > 0) {
    return waitUnasked(
      "ReplicaNotInSync",
      `node ${uid} is catching up with ${late.map(({ name }) => `"${name}"`).join(", ")}`,
    );
  }
  // the act also ends an evacuation that still runs
  if (maintenance) return act({ kind: "take-back", node: uid }, `node ${uid} is active and in sync`);
  if (isNodeBusy(view, uid)) return waitUnasked("TakingNodeBack", `node ${uid} is on its way back`);
  if (!acceptsClients) return waitUnasked("NodeJoining", `node ${uid} does not take clients yet`);
  return undefined;
}
