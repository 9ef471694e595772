import { act } from "../findings/step.ts";
import { nodesOf, type Alteration, type ClusterView, type Workload } from "../view/cluster-view.ts";
import { targetTag } from "../view/target.ts";
import { abovePods, closedPartition } from "./partition.ts";
import { holdPods, writeWorkload, type RollStep } from "./step.ts";

/** Takes back another writer's change of the StatefulSet before the StatefulSet controller may act on it (docs/decisions/0004). */
export function rewriteStep(view: ClusterView, workload: Workload, wanted: string): RollStep | undefined {
  if (workload.template !== wanted) return keptStep(view, workload, wanted);
  // the write releases no pod for replacement, whatever the pods are made from
  const partition = nodesOf(view);
  switch (alterationOf(view, workload, wanted)) {
    case undefined:
      return undefined;
    case "unread":
      return isReplacing(view, workload) ? undefined : writeWorkload(partition, UNREAD);
    case "edited":
      return writeWorkload(partition, "the StatefulSet is not what was written: its pods stay as they are");
  }
}

/**
 * The step of an operator that has not written the StatefulSet yet: what such a write does to the template is not known, so it releases no
 * pod. A pod that seems to be made from the wanted template would be replaced with the one that was checked.
 */
export function withoutRelease(view: ClusterView, workload: Workload, wanted: string, step: RollStep): RollStep {
  const isWrite = step.kind === "act" && step.act.kind === "write-workload";
  const isUnread = workload.template === wanted && alterationOf(view, workload, wanted) !== undefined;
  return isWrite && isUnread ? writeWorkload(nodesOf(view), `${UNREAD}: no pod is replaced by the write`) : step;
}

/** A pod is on its way to another revision: after a write it would come back with the revision before. */
function isReplacing({ pods }: ClusterView, { replicas }: Workload): boolean {
  return pods.length < replicas || pods.some(({ deleting }) => deleting);
}

/** Keeps a template that another writer changed from replacing a pod. */
export function keptStep(view: ClusterView, workload: Workload, wanted: string): RollStep | undefined {
  const isEdited = alterationOf(view, workload, wanted) === "edited";
  if (!isEdited || workload.partition >= workload.replicas) return undefined;
  return holdPods(workload.replicas, "another writer changed the StatefulSet: its pods stay as they are");
}

/** Brings back, at their tag, the nodes that another writer took from a cluster that waits for its upgrade. */
export function restoredStep(view: ClusterView, workload: Workload): RollStep | undefined {
  if (nodesTaken(view, workload) === undefined) return undefined;
  const { spec, pods, remembered } = view;
  const nodeTag = remembered.imageTag ?? workload.nodeTag;
  return act({ kind: "restore-workload", nodeTag, partition: abovePods(pods, spec.nodes) }, SCALED_DOWN);
}

/** Brings back such nodes where only their number may be written: their template stays as it is. */
export function scaledStep(view: ClusterView, workload: Workload): RollStep | undefined {
  const replicas = nodesTaken(view, workload);
  if (replicas === undefined) return undefined;
  const partition = Math.max(closedPartition(view.pods, workload), workload.partition);
  return act({ kind: "hold-pods", partition, replicas }, SCALED_DOWN);
}

const UNREAD = "this operator has not written the StatefulSet yet";
const SCALED_DOWN = "another writer scaled the StatefulSet down";

/**
 * How many nodes the cluster had before another writer took some; undefined when none was taken. When the cluster does not answer or has no
 * nodes, the nodes in its status count.
 */
function nodesTaken({ spec, cluster, remembered }: ClusterView, { replicas }: Workload): number | undefined {
  const nodes = cluster.reachable ? cluster.nodes : (remembered.nodes ?? []);
  const uids = nodes.map(({ uid }) => uid).filter((uid) => uid <= spec.nodes);
  const had = Math.max(0, ...uids);
  return had > replicas ? had : undefined;
}

/** How the StatefulSet was changed; a template for the target that names another image counts as edited. */
function alterationOf(view: ClusterView, workload: Workload, wanted: string): Alteration | undefined {
  const { alteration, template, nodeTag } = workload;
  return template === wanted && nodeTag !== targetTag(view) ? "edited" : alteration;
}
