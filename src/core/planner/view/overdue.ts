import { deleteObjects } from "../../api/kubectl.ts";
import type { NodePod } from "./cluster-view.ts";

/** A pod that is there so long after it was due has no kubelet that ends it, in milliseconds. */
const OVERDUE_MS = 10_000;

/** The pod is being deleted, and its kubelet has not ended it in time. */
export function isOverdue({ endsInMs }: NodePod): boolean {
  return endsInMs !== undefined && endsInMs < -OVERDUE_MS;
}

/** What a user does about a pod that cannot run from what it is made from, when it would be made from something else now. */
export function makeAgain(pod: string): string {
  return `to make it again: ${deleteObjects("pod", [pod])}`;
}

/** What a user does about a pod that is overdue. */
export function endLost(pod: string): string {
  return `when its worker does not come back: ${deleteObjects("pod", [pod])} --force --grace-period=0`;
}
