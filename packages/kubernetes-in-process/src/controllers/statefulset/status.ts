import type { StatefulSet, StatefulSetStatus } from "kubernetes-types/apps/v1.js";
import type { Stored } from "../../../../controller-kit/src/kube/kube.ts";
import type { PodView } from "./plan.ts";

/** The status that `kubectl rollout status` reads; the update revision becomes the current one once all pods have it. */
export function statefulSetStatus(
  set: Stored<StatefulSet>,
  pods: readonly PodView[],
  currentRevision: string,
  updateRevision: string,
): StatefulSetStatus {
  const wanted = set.spec?.replicas ?? 1;
  const kept = pods.filter(({ terminating }) => !terminating);
  const withRevision = (revision: string): number => kept.filter((pod) => pod.revision === revision).length;
  const status = {
    ...set.status,
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: pods.filter(({ ready }) => ready).length,
    availableReplicas: pods.filter(({ available }) => available).length,
    currentReplicas: withRevision(currentRevision),
    updatedReplicas: withRevision(updateRevision),
    currentRevision,
    updateRevision,
    collisionCount: set.status?.collisionCount ?? 0,
  };
  const isRolled = [status.updatedReplicas, status.readyReplicas, status.replicas].every((count) => count === wanted);
  const isRolling = set.spec?.updateStrategy?.type !== "OnDelete";
  return isRolled && isRolling
    ? { ...status, currentReplicas: status.updatedReplicas, currentRevision: updateRevision }
    : status;
}
