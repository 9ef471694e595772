import type { NodePod, Workload } from "../view/cluster-view.ts";

/**
 * The lowest partition that lets no pod be replaced. Pods of the present revision stay above it, so that a pod that ends is made again from its
 * own revision; a StatefulSet that has ended its roll gets the number of its pods.
 */
export function closedPartition(pods: readonly NodePod[], workload: Workload): number {
  if (!workload.observed) return abovePods(pods, workload.replicas);
  const stale = pods.filter(({ revision }) => revision !== workload.updateRevision);
  if (stale.length > 0) return Math.max(...stale.map(({ ordinal }) => ordinal)) + 1;
  // below the partition a pod is made again from the revision before, until the roll counts as ended
  return workload.currentRevision === workload.updateRevision ? workload.replicas : workload.partition;
}

/** The partition above each pod that exists or is to be made: another writer may have scaled the StatefulSet down. */
export function abovePods(pods: readonly NodePod[], replicas: number): number {
  return Math.max(replicas, ...pods.map(({ ordinal }) => ordinal + 1));
}

/** The pods that the StatefulSet controller may replace now, without those that are being deleted already. */
export function releasedPods(pods: readonly NodePod[], workload: Workload): readonly NodePod[] {
  const { observed, partition, updateRevision } = workload;
  return pods.filter(
    ({ ordinal, revision, deleting }) => !deleting && observed && ordinal >= partition && revision !== updateRevision,
  );
}
