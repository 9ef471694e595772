import { deleteObjects, describeObject, editObject, getObjects, mergeObject } from "../../api/kubectl.ts";
import { podSelector } from "../../api/names.ts";
import type { Finding } from "../../api/parts.ts";
import { isPause, wait } from "../findings/finding.ts";
import type { FindingId } from "../prerequisites/finding-ids.ts";
import { nodeOf, type ClusterView, type Namesake, type NodePod } from "../view/cluster-view.ts";
import { endStuck, isStuckEnding, makeAgain, stuckText } from "../view/overdue.ts";
import type { RollStep } from "./step.ts";

/** The findings whose cause may be a pod that needs a user; most end unasked otherwise. */
const PASSING: readonly string[] = [
  "ActionRunning",
  "DatabaseBusy",
  "PodMissing",
  "PrimaryAway",
  "ReplicaNotInSync",
] satisfies readonly FindingId[];

/** Names a pod that needs a user, if there is one, in a step that waits for a finding that ends unasked: the wait may depend on that pod. */
export function explainWait(view: ClusterView, step: RollStep): RollStep {
  if (step.kind !== "wait" || !(isPause(step.wait) || PASSING.includes(step.wait.id))) return step;
  const [namesake] = view.namesakes ?? [];
  const cause =
    namesake !== undefined
      ? unknownPod(view, namesake)
      : view.pods
          .toSorted((a, b) => Number(isStuckEnding(b)) - Number(isStuckEnding(a)))
          .map((pod) => stuckPod(view, pod))
          .find((found) => found !== undefined);
  return cause === undefined ? step : { ...step, cause };
}

/** The StatefulSet controller goes on only when the pod is its own again, or gone. */
function unknownPod({ name }: ClusterView, { ordinal, isNode }: Namesake): Finding {
  const pod = `${name}-${ordinal}`;
  if (!isNode)
    return wait(
      "PodUnknown",
      `pod ${pod} has the name of a node and is none`,
      `end it under this name: ${deleteObjects("pod", [pod])}`,
    );
  const labels = podSelector(name, "node");
  return wait(
    "PodUnknown",
    `pod ${pod} has lost its labels: its StatefulSet does not know it, and no other of its name can be made`,
    `give them back: ${mergeObject("pod", pod, { metadata: { labels } })}`,
  );
}

/** Why a pod does not go on without a user; undefined when it does. */
export function stuckPod(view: ClusterView, pod: NodePod): Finding | undefined {
  const object = `${view.name}-${pod.ordinal}`;
  const look = describeObject(`pod ${object}`);
  if (isStuckEnding(pod))
    return wait("PodNotRunning", `pod ${object} ${stuckText(pod)}`, `look: ${look}; ${endStuck(object, pod)}`);
  // a corrected spec is taken up at once
  if (pod.deleting) return undefined;
  if (pod.trouble !== "")
    return wait("PodNotRunning", `pod ${object} does not run: ${pod.trouble}`, `look: ${look}; ${wayOutOf(pod, view)}`);
  const isRefused = pod.hasFormerAccount === true && nodeOf(view, pod)?.active !== true;
  return isRefused ? wait("TokenRefused", tokenText(object), newToken(object, pod)) : undefined;
}

function tokenText(pod: string): string {
  return `pod ${pod} is older than its ServiceAccount, which was deleted and made again: Kubernetes refuses the token of the pod`;
}

/** A node in service serves clients without Kubernetes, and what it holds may be on no other node. */
function newToken(object: string, { inService }: NodePod): string {
  return inService
    ? `wait and do not delete the pod: its kubelet renews the token within an hour, and its databases serve until then; look: ${getObjects("leases -w")}`
    : makeAgain(object);
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
