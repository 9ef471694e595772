import { describeObject, editObject } from "../../api/kubectl.ts";
import type { Finding } from "../../api/parts.ts";
import { firstFindingAt } from "../prerequisites/run.ts";
import { checkInput } from "../prerequisites/check-input.ts";
import { expected } from "./recovery-phase.ts";
import { silence } from "./state.ts";
import { databasesOn, nodeOf, uidOf, type ClusterView, type NodePod, type Workload } from "../view/cluster-view.ts";
import { wait } from "../findings/finding.ts";

/** The one thing that is done next to the nodes; the world is observed again after each. */
export type ClusterAct =
  /** Set the readiness gate of a pod. */
  | { readonly kind: "gate"; readonly ordinal: number; readonly inService: boolean }
  /** Move primaries, leadership and clients off a node. */
  | { readonly kind: "evacuate"; readonly node: number }
  /** End a node's maintenance. */
  | { readonly kind: "take-back"; readonly node: number }
  /** Write the StatefulSet as wanted; pods from ordinal `partition` on may be replaced. */
  | { readonly kind: "write-workload"; readonly partition: number }
  /** Ask for more of a claim. */
  | { readonly kind: "grow-volume"; readonly claim: string; readonly size: string }
  /** Delete the StatefulSet and leave its pods. */
  | { readonly kind: "free-pods" }
  /** Write the StatefulSet that the pods had, at their tag, so that none is replaced. */
  | { readonly kind: "restore-workload"; readonly tag: string; readonly partition: number }
  /** Delete pods of lost nodes, so that they are made again. */
  | { readonly kind: "delete-pods"; readonly pods: readonly NodePod[] }
  /** Agree that a database comes back without what is gone. */
  | { readonly kind: "recover-database"; readonly uid: number; readonly name: string }
  /** Set `spec.clusterRecovery` to false. */
  | { readonly kind: "end-recovery" }
  /** Write the target into `spec.storeEnterpriseImageSpec.versionTag`. */
  | { readonly kind: "write-tag"; readonly tag: string };

export type RollStep =
  | { readonly kind: "act"; readonly act: ClusterAct; readonly why: string }
  | { readonly kind: "wait"; readonly reason: string; readonly message: string; readonly finding?: Finding }
  | { readonly kind: "done" };

/**
 * The next step of bringing every pod to the wanted template, one at a time from the highest ordinal down, each derived
 * from what is observed (docs/decisions/0004). `wanted` is the hash of the wanted template.
 */
export function rollStep(view: ClusterView, workload: Workload, wanted: string): RollStep {
  if (workload.template === wanted && !workload.observed) {
    return waiting("StatefulSetBehind", "the StatefulSet controller takes up the new template");
  }
  const isNew = (pod: NodePod): boolean => workload.template === wanted && isUpdated(pod, workload);
  const fresh = view.pods.filter(isNew);
  const comingBack = firstComingBack(view, fresh);
  if (comingBack !== undefined) return comingBack;

  const missing = missingPods(view, workload);
  if (missing !== undefined && workload.template === wanted) return missing;
  const next = view.pods.filter((pod) => !isNew(pod)).toSorted(highestFirst)[0];
  if (next === undefined) return openGate(fresh, "every node is back");
  const isReleased = workload.template === wanted && workload.partition <= next.ordinal;
  if (!isReleased) return release(view, next);
  const opened = openGate(fresh, `node ${uidOf(next)} is evacuated and may be replaced`);
  return opened.kind === "done"
    ? waiting("PodReplacing", `pod ${view.name}-${next.ordinal} is being replaced`)
    : opened;
}

/**
 * The next step of keeping nodes in service while no pod may be replaced: those that came back are taken back. A roll
 * that was stopped half-way stays stopped, between two pods.
 */
export function serviceStep(view: ClusterView, workload: Workload): RollStep {
  const settled = view.pods.filter((pod) => isUpdated(pod, workload));
  const comingBack = firstComingBack(view, settled);
  if (comingBack !== undefined) return comingBack;
  const stopped = view.pods.length > settled.length || !workload.observed;
  return stopped ? { kind: "done" } : (missingPods(view, workload) ?? openGate(settled, "every node is there"));
}

/** The next step of bringing every pod that can run into service, whatever it is made from. */
export function returnStep(view: ClusterView): RollStep {
  const pods = expected(view);
  return firstComingBack(view, pods) ?? openGate(pods, "every node that can is back");
}

function isUpdated(pod: NodePod, workload: Workload): boolean {
  return workload.observed && pod.revision === workload.updateRevision && !pod.deleting;
}

function missingPods(view: ClusterView, workload: Workload): RollStep | undefined {
  const missing = workload.replicas - view.pods.length;
  return missing <= 0
    ? undefined
    : waiting(
        "PodMissing",
        `${missing} of ${workload.replicas} node pods ${missing === 1 ? "is" : "are"} not there yet`,
      );
}

function firstComingBack(view: ClusterView, pods: readonly NodePod[]): RollStep | undefined {
  for (const pod of pods.toSorted(highestFirst)) {
    const step = intoService(view, pod);
    if (step !== undefined) return step;
  }
  return undefined;
}

/** Prepares `pod` for its replacement: gate, evacuation, then the write that lets the StatefulSet controller go on. */
function release(view: ClusterView, pod: NodePod): RollStep {
  const objection = firstFindingAt("step", checkInput(view, { touching: pod }));
  if (objection !== undefined)
    return { kind: "wait", reason: objection.id, message: objection.evidence, finding: objection };
  const node = nodeOf(view, pod);
  if (pod.inService)
    return act({ kind: "gate", ordinal: pod.ordinal, inService: false }, `pod ${view.name}-${pod.ordinal} is next`);
  // a node that is down holds nothing that could be moved, and its replacement is the repair
  if (node?.active === true && !isEvacuated(view, pod)) {
    if (!node.maintenance)
      return act(
        { kind: "evacuate", node: uidOf(pod) },
        `node ${uidOf(pod)} is next: its primaries, leadership and clients leave`,
      );
    return waiting("EvacuatingNode", stillOn(view, pod));
  }
  return act({ kind: "write-workload", partition: pod.ordinal }, `node ${uidOf(pod)} is evacuated`);
}

/**
 * What a pod still needs to carry its share; undefined when it does. A node in maintenance whose gate is open was put
 * there by a user, and stays there.
 */
function intoService(view: ClusterView, pod: NodePod): RollStep | undefined {
  const node = nodeOf(view, pod);
  const uid = uidOf(pod);
  if (pod.trouble !== "") return inTrouble(view, pod);
  if (!view.cluster.reachable) {
    const { reason, message } = silence(view, view.cluster);
    return waiting(reason, message);
  }
  if (node === undefined || !node.active || !pod.containerReady) {
    return waiting("NodeJoining", `node ${uid} is not active yet`);
  }
  if (pod.inService) return undefined;
  const late = databasesOn(view, uid, ({ primary, inSync }) => !primary && !inSync);
  if (late.length > 0) {
    return waiting(
      "ReplicaNotInSync",
      `node ${uid} is catching up with ${late.map(({ name }) => `"${name}"`).join(", ")}`,
    );
  }
  if (isBusy(view, uid)) return waiting("TakingNodeBack", `node ${uid} is on its way back`);
  if (node.maintenance) return act({ kind: "take-back", node: uid }, `node ${uid} is active and in sync`);
  if (!node.acceptsClients) return waiting("NodeJoining", `node ${uid} does not take clients yet`);
  return undefined;
}

/** A pod that cannot start needs a user; a corrected spec is taken up at once. */
function inTrouble(view: ClusterView, pod: NodePod): RollStep {
  const evidence = `pod ${view.name}-${pod.ordinal} does not run: ${pod.trouble}`;
  const remedy = `${describeObject(`pod ${view.name}-${pod.ordinal}`)}; ${wayOutOf(pod, view)}`;
  const finding = wait("PodNotRunning", evidence, remedy);
  return { kind: "wait", reason: finding.id, message: evidence, finding };
}

function wayOutOf({ unschedulable }: NodePod, { name, spec }: ClusterView): string {
  if (!unschedulable) return `the operator applies a corrected image spec of ${name} at once`;
  const { cpu = "none", memory = "none" } = spec.storeEnterpriseNodeResources.requests ?? {};
  return (
    `a node asks for cpu ${cpu} and memory ${memory}: make a worker take it, or correct spec.storeEnterpriseNodeResources, ` +
    `nodeSelector or tolerations (${editObject(`rec ${name}`)})`
  );
}

/** Opens the gate of a pod that is ready for it; done when all are open. */
function openGate(pods: readonly NodePod[], why: string): RollStep {
  const shut = pods.toSorted(highestFirst).find(({ inService }) => !inService);
  return shut === undefined ? { kind: "done" } : act({ kind: "gate", ordinal: shut.ordinal, inService: true }, why);
}

function isEvacuated(view: ClusterView, pod: NodePod): boolean {
  const node = nodeOf(view, pod);
  return node !== undefined && node.maintenance && stillOn(view, pod) === "";
}

/** What has to leave the node of `pod` yet, in words; empty when nothing does. */
function stillOn(view: ClusterView, pod: NodePod): string {
  const uid = uidOf(pod);
  const node = nodeOf(view, pod);
  const primaries = databasesOn(view, uid, ({ primary }) => primary);
  const parts = [
    ...(node?.leader === true ? ["leads the cluster"] : []),
    ...primaries.map(({ name, waitingFor }) => `holds the primary of "${name}"${waitingFor && ` (${waitingFor})`}`),
    ...(node?.acceptsClients === true ? ["takes clients"] : []),
  ];
  if (parts.length > 0) return `node ${uid} still ${parts.join(", ")}`;
  return isBusy(view, uid) ? `node ${uid} is being evacuated` : "";
}

/** An action of the node itself runs: maintenance begins or ends. */
function isBusy({ cluster }: ClusterView, uid: number): boolean {
  return cluster.reachable && cluster.actions.some(({ object }) => object === `node:${uid}`);
}

function highestFirst(a: NodePod, b: NodePod): number {
  return b.ordinal - a.ordinal;
}

function act(what: ClusterAct, why: string): RollStep {
  return { kind: "act", act: what, why };
}

function waiting(reason: string, message: string): RollStep {
  return { kind: "wait", reason, message };
}
