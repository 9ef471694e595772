import type { Finding } from "../../api/parts.ts";
import { act, waitFor, waitUnasked } from "../findings/step.ts";
import type { ClusterView, Workload } from "../view/cluster-view.ts";
import { removeFinalizers } from "../view/overdue.ts";
import type { RollStep } from "./step.ts";

/**
 * Makes a missing StatefulSet again before anything else, because without it the pods would not be kept: it is gone between two steps of
 * resizing the volumes, or a user has deleted it alone. Its pods stay. A spec that names what belongs to another owner waits: a pod that is made
 * again would get it.
 */
export function workloadStep(
  { name, workload, deleting, spec }: ClusterView,
  [foreign]: readonly Finding[],
): RollStep | undefined {
  if (workload === undefined || deleting || workload.presence === "there") return undefined;
  if (workload.presence === "leaving") {
    const message = "the StatefulSet is deleted without its pods, and is then made again";
    return waitUnasked("StatefulSetLeaving", `${message}${keptBy(name, workload)}`);
  }
  if (foreign !== undefined) return waitFor(foreign);
  const { nodeTag, replicas: partition } = workload;
  const { enabled, volumeSize } = spec.persistentSpec;
  const volumes = enabled ? ` with volumes of ${volumeSize}` : "";
  const why = `the StatefulSet is gone and is made again${volumes}; its pods stay`;
  return act({ kind: "restore-workload", nodeTag, partition }, why);
}

/** Names the finalizers that keep the StatefulSet, which others may never remove. */
function keptBy(name: string, { finalizers = [] }: Workload): string {
  if (finalizers.length === 0) return "";
  return `; finalizers keep it: ${finalizers.join(", ")}; when nothing removes them: ${removeFinalizers("sts", name)}`;
}
