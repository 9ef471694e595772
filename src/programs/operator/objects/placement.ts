import type { PodSpec, Toleration } from "kubernetes-types/core/v1.js";
import type { ClusterSpec } from "../../../core/api/cluster-spec.ts";

/** What the pods of nodes and rigger have in common: where they may run, how important they are, and how images are pulled. */
export type PodPlacement = Pick<PodSpec, "nodeSelector" | "tolerations" | "priorityClassName" | "imagePullSecrets">;

/**
 * The placement that the spec asks for, with `own` tolerations after its own. Its anti-affinity is not part of it: that
 * keeps nodes apart, and a rigger beside them would find no worker.
 */
export function placementOf(spec: ClusterSpec, own: readonly Toleration[] = []): PodPlacement {
  const tolerations = [...(spec.podTolerations ?? []), ...own];
  // the hash of the template of a running cluster depends on the order
  return {
    ...(spec.nodeSelector && { nodeSelector: spec.nodeSelector }),
    ...((spec.podTolerations !== undefined || own.length > 0) && { tolerations }),
    ...(spec.priorityClassName && { priorityClassName: spec.priorityClassName }),
    ...(spec.pullSecrets && { imagePullSecrets: spec.pullSecrets }),
  };
}
