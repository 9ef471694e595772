import { deleteObjects, mergeObject } from "../../api/kubectl.ts";
import type { NodePod } from "./cluster-view.ts";

/** A pod that is there so long after it was due has no kubelet that ends it, in milliseconds. */
const OVERDUE_MS = 10_000;

/** The pod is being deleted, and its kubelet has not ended it in time. */
export function isOverdue({ endsInMs }: NodePod): boolean {
  return endsInMs !== undefined && endsInMs < -OVERDUE_MS;
}

/** The pod is being deleted, and does not go without a user: it is overdue, or was deleted by force and waits for finalizers alone. */
export function isStuckEnding(pod: NodePod): boolean {
  return isOverdue(pod) || (pod.endsInMs === 0 && finalizersOf(pod).length > 0);
}

/** Why such a pod is still there, to be added to its name. */
export function stuckText(pod: NodePod): string {
  const why = isOverdue(pod) ? "is being deleted, and has not ended in the time that it had" : "was deleted by force";
  const finalizers = finalizersOf(pod);
  return finalizers.length === 0 ? why : `${why}; finalizers keep it: ${finalizers.join(", ")}`;
}

/** What a user does about a pod that cannot run from its own template, when a new pod would be made from another one. */
export function makeAgain(pod: string): string {
  return `to make it again: ${deleteObjects("pod", [pod])}`;
}

/** What a user does about a pod that is stuck in its deletion; `object`: its name. */
export function endStuck(object: string, pod: NodePod): string {
  const force = `when its worker does not come back: ${deleteObjects("pod", [object])} --force --grace-period=0`;
  const release = `when nothing removes its finalizers: ${removeFinalizers("pod", object)}`;
  return [...(isOverdue(pod) ? [force] : []), ...(finalizersOf(pod).length > 0 ? [release] : [])].join("; ");
}

/** Takes away all finalizers of an object. */
export function removeFinalizers(kind: string, name: string): string {
  return mergeObject(kind, name, { metadata: { finalizers: null } });
}

function finalizersOf({ finalizers = [] }: NodePod): readonly string[] {
  return finalizers;
}
