import type { Pod } from "kubernetes-types/core/v1.js";
import type { Stored } from "../../../../controller-kit/src/kube/kube.ts";
import { isOver, isReady } from "../../../../controller-kit/src/kube/pods.ts";

/** Milliseconds until a pod that stays ready counts as available, 0 when it does; undefined when it is not ready. */
export function availableInMs(pod: Stored<Pod>, minReadySeconds: number, now: Date): number | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds === 0) return 0;
  const since = pod.status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
  const readyAt = since === undefined ? now.getTime() : Date.parse(since);
  return Math.max(0, readyAt + minReadySeconds * 1000 - now.getTime());
}

/** Asked to go. */
export function isTerminating(pod: Stored<Pod>): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

/** Neither over nor asked to go. */
export function isActive(pod: Stored<Pod>): boolean {
  return !isOver(pod) && !isTerminating(pod);
}
