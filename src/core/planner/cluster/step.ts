import { act, type Step } from "../findings/step.ts";
import type { NodePod } from "../view/cluster-view.ts";

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
  /** Let no pod below ordinal `partition` be replaced, and set the number of `replicas` if given; the template stays as it is. */
  | { readonly kind: "hold-pods"; readonly partition: number; readonly replicas?: number }
  /** Ask for more of a claim. */
  | { readonly kind: "grow-volume"; readonly claim: string; readonly size: string }
  /** Delete the StatefulSet and leave its pods. */
  | { readonly kind: "free-pods" }
  /** Write the StatefulSet that the pods had, at their tag, so that none is replaced. */
  | { readonly kind: "restore-workload"; readonly nodeTag: string; readonly partition: number }
  /** Delete pods of lost nodes, so that they are made again. */
  | { readonly kind: "delete-pods"; readonly pods: readonly NodePod[] }
  /** Agree that a database comes back without what is gone. */
  | { readonly kind: "recover-database"; readonly uid: number; readonly name: string }
  /** Set `spec.clusterRecovery` to false. */
  | { readonly kind: "end-recovery" }
  /** Write the target into `spec.storeEnterpriseImageSpec.versionTag`. */
  | { readonly kind: "write-tag"; readonly nodeTag: string };

/** The next step for the nodes of a cluster. */
export type RollStep = Step<ClusterAct>;

/** The step that writes the StatefulSet as wanted; pods from ordinal `partition` on may be replaced. */
export function writeWorkload(partition: number, why: string): RollStep {
  return act({ kind: "write-workload", partition }, why);
}

/** The step that lets no pod below ordinal `partition` be replaced, and leaves the template as it is. */
export function holdPods(partition: number, why: string): RollStep {
  return act({ kind: "hold-pods", partition }, why);
}
