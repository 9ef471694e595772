import { describeObject, editObject } from "../../api/kubectl.ts";
import type { Finding } from "../../api/parts.ts";
import { wait } from "../findings/finding.ts";
import type { FindingId } from "../findings/ids.ts";
import type { ClusterView, NodePod } from "../view/cluster-view.ts";
import { endStuck, isStuckEnding, makeAgain, stuckText } from "../view/overdue.ts";
import type { RollStep } from "./step.ts";

/** What ends unasked, unless a pod needs a user first. */
const PASSING: readonly string[] = [
  "ActionRunning",
  "DatabaseBusy",
  "PrimaryAway",
  "ReplicaNotInSync",
] satisfies readonly FindingId[];

/** A step that waits for what ends unasked names a pod that needs a user, if there is one: what it waits for may depend on it. */
export function explained(view: ClusterView, step: RollStep): RollStep {
  if (step.kind !== "wait" || (step.finding !== undefined && !PASSING.includes(step.finding.id))) return step;
  const finding = view.pods
    .toSorted((a, b) => Number(isStuckEnding(b)) - Number(isStuckEnding(a)))
    .map((pod) => stuckPod(view, pod))
    .find((found) => found !== undefined);
  return finding === undefined ? step : { ...step, finding };
}

/** Why a pod does not go on without a user; undefined when it does. */
export function stuckPod(view: ClusterView, pod: NodePod): Finding | undefined {
  const object = `${view.name}-${pod.ordinal}`;
  const look = describeObject(`pod ${object}`);
  if (isStuckEnding(pod))
    return wait("PodNotRunning", `pod ${object} ${stuckText(pod)}`, `look: ${look}; ${endStuck(object, pod)}`);
  // a corrected spec is taken up at once
  return pod.trouble === "" || pod.deleting
    ? undefined
    : wait("PodNotRunning", `pod ${object} does not run: ${pod.trouble}`, `look: ${look}; ${wayOutOf(pod, view)}`);
}

function wayOutOf({ unschedulable, ordinal, revision }: NodePod, { name, spec, workload }: ClusterView): string {
  const isOfNow = revision === workload?.updateRevision;
  if (!unschedulable && !isOfNow) return makeAgain(`${name}-${ordinal}`);
  if (!unschedulable) return `correct the image spec, which the operator applies at once: ${editObject(`rec ${name}`)}`;
  const { cpu = "none", memory = "none" } = spec.storeEnterpriseNodeResources.requests ?? {};
  return (
    `a node asks for cpu ${cpu} and memory ${memory}, so make a worker take it, or correct spec.storeEnterpriseNodeResources, ` +
    `nodeSelector or tolerations: ${editObject(`rec ${name}`)}`
  );
}
