import type { ClusterView, NodePod, Workload } from "../view/cluster-view.ts";
import { describeObject } from "../../api/kubectl.ts";
import { wait } from "../findings/finding.ts";
import { waitFor, waitUnasked } from "../findings/step.ts";
import { abovePods } from "./partition.ts";
import { writeWorkload, type RollStep } from "./step.ts";

/** The pod is made from the present template, and stays. */
export function isUpdated(pod: NodePod, workload: Workload): boolean {
  return workload.observed && pod.revision === workload.updateRevision && !pod.deleting;
}

/**
 * The step that waits for pods that are to be made; undefined when all are there. Pods that do not come are refused, and need a user: a template
 * that is not `isWritten` yet may be what admits them, and is written where it is given to no pod that is there.
 */
export function missingPods(view: ClusterView, { replicas }: Workload, isWritten: boolean): RollStep | undefined {
  const { name, pods } = view;
  const missing = replicas - pods.length;
  if (missing <= 0 || (!isWritten && !areRefused(view))) return undefined;
  const evidence = `${missing} of ${replicas} node pods ${missing === 1 ? "is" : "are"} not there yet`;
  if (!isWritten && abovePods(pods, 0) === pods.length)
    return writeWorkload(pods.length, `${evidence}, and may be made from another template`);
  return !areRefused(view)
    ? waitUnasked("PodMissing", evidence)
    : waitFor(
        wait(
          "PodMissing",
          `${evidence}: what makes the pods of the StatefulSet has not made them, and the events of the StatefulSet say why`,
          `look, and let a quota or an admission policy that refuses them admit them: ${describeStatefulSet(name)}`,
        ),
      );
}

/** Pods have been missing for longer than it takes to make them. */
export function areRefused({ podsMissingMs = 0 }: ClusterView): boolean {
  return podsMissingMs >= REFUSED_MS;
}

/** What shows why the StatefulSet of a cluster lacks pods. */
export function describeStatefulSet(cluster: string): string {
  return describeObject(`sts ${cluster}`);
}

/** A pod is made within a second, unless it is refused; in milliseconds. */
const REFUSED_MS = 10_000;
