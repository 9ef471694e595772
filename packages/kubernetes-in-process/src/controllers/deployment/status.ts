import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from "kubernetes-types/apps/v1.js";
import { withCondition } from "../../../../controller-kit/src/kube/conditions.ts";
import type { Stored } from "../../../../controller-kit/src/kube/kube.ts";
import { timestamp } from "../../../../controller-kit/src/kube/timestamp.ts";

/** What a rollout has come to: `fresh` is the set of the current template, `sets` are all of them. */
export interface RolloutProgress {
  readonly fresh: Stored<ReplicaSet> | undefined;
  readonly sets: readonly Stored<ReplicaSet>[];
  readonly maxUnavailable: number;
  /** The set of the current template was made in this pass. */
  readonly isNew: boolean;
}

/** The status that `kubectl rollout status` and `kubectl get` read. */
export function deploymentStatus(
  deployment: Stored<Deployment>,
  progress: RolloutProgress,
  now: Date,
): DeploymentStatus {
  const { fresh, sets, maxUnavailable } = progress;
  const wanted = deployment.spec?.replicas ?? 1;
  const total = (field: "replicas" | "readyReplicas" | "availableReplicas"): number =>
    sets.reduce((count, set) => count + (set.status?.[field] ?? 0), 0);
  const counts = {
    replicas: total("replicas"),
    updatedReplicas: fresh?.status?.replicas ?? 0,
    readyReplicas: total("readyReplicas"),
    availableReplicas: total("availableReplicas"),
  };
  const unavailable = Math.max(
    0,
    sets.reduce((count, set) => count + (set.spec?.replicas ?? 0), 0) - counts.availableReplicas,
  );
  const available = availability(counts.availableReplicas >= wanted - maxUnavailable);
  const conditions = stampCondition(deployment.status?.conditions, available, now);
  const progressing = progression(deployment, progress, counts, now);
  return {
    ...deployment.status,
    observedGeneration: deployment.metadata.generation ?? 0,
    ...counts,
    unavailableReplicas: unavailable,
    conditions: progressing === undefined ? conditions : stampCondition(conditions, progressing, now),
  };
}

/** Milliseconds until the rollout is late unless it progresses; undefined when it has no deadline any more. */
export function lateInMs(deployment: Stored<Deployment>, status: DeploymentStatus, now: Date): number | undefined {
  const progressing = status.conditions?.find(({ type }) => type === "Progressing");
  if (progressing === undefined || progressing.reason === COMPLETE || progressing.status === "False") return undefined;
  return deadlineOf(deployment, progressing) - now.getTime();
}

type Fact = Omit<DeploymentCondition, "lastTransitionTime" | "lastUpdateTime">;
type Counts = Required<Pick<DeploymentStatus, "replicas" | "updatedReplicas" | "readyReplicas" | "availableReplicas">>;

const COMPLETE = "NewReplicaSetAvailable";

function availability(isAvailable: boolean): Fact {
  return isAvailable
    ? {
        type: "Available",
        status: "True",
        reason: "MinimumReplicasAvailable",
        message: "Deployment has minimum availability.",
      }
    : {
        type: "Available",
        status: "False",
        reason: "MinimumReplicasUnavailable",
        message: "Deployment does not have minimum availability.",
      };
}

/** Undefined when nothing has changed since the condition was last written. */
function progression(
  deployment: Stored<Deployment>,
  { fresh, isNew }: RolloutProgress,
  counts: Counts,
  now: Date,
): Fact | undefined {
  const before = deployment.status?.conditions?.find(({ type }) => type === "Progressing");
  const name = `ReplicaSet "${fresh?.metadata.name ?? ""}"`;
  const going = { type: "Progressing", status: "True" };
  if (deployment.spec?.paused === true) {
    return { type: "Progressing", status: "Unknown", reason: "DeploymentPaused", message: "Deployment is paused" };
  }
  if (isComplete(deployment, counts))
    return { ...going, reason: COMPLETE, message: `${name} has successfully progressed.` };
  if (isNew)
    return {
      ...going,
      reason: "NewReplicaSetCreated",
      message: `Created new replica set "${fresh?.metadata.name ?? ""}"`,
    };
  if (hasProgressed(deployment.status ?? {}, counts) || before === undefined) {
    return { ...going, reason: "ReplicaSetUpdated", message: `${name} is progressing.` };
  }
  if (before.reason === COMPLETE || now.getTime() < deadlineOf(deployment, before)) return undefined;
  return {
    type: "Progressing",
    status: "False",
    reason: "ProgressDeadlineExceeded",
    message: `${name} has timed out progressing.`,
  };
}

function isComplete(deployment: Stored<Deployment>, counts: Counts): boolean {
  const wanted = deployment.spec?.replicas ?? 1;
  return counts.updatedReplicas === wanted && counts.replicas === wanted && counts.availableReplicas === wanted;
}

function hasProgressed(before: DeploymentStatus, now: Counts): boolean {
  const old = (status: DeploymentStatus | Counts): number => (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  const grew = (field: keyof Counts): boolean => now[field] > (before[field] ?? 0);
  return grew("updatedReplicas") || grew("readyReplicas") || grew("availableReplicas") || old(now) < old(before);
}

function deadlineOf(deployment: Stored<Deployment>, progressing: DeploymentCondition): number {
  const seconds = deployment.spec?.progressDeadlineSeconds ?? 600;
  return Date.parse(progressing.lastUpdateTime ?? progressing.lastTransitionTime ?? "") + seconds * 1000;
}

/** `lastUpdateTime` moves only when the condition says something else than before. */
function stampCondition(
  list: readonly DeploymentCondition[] | undefined,
  fact: Fact,
  now: Date,
): DeploymentCondition[] {
  const old = list?.find(({ type }) => type === fact.type);
  const isSame = old?.status === fact.status && old.reason === fact.reason && old.message === fact.message;
  const isStill = isSame && fact.reason !== "ReplicaSetUpdated"; // each step of a rollout pushes the deadline out
  const lastUpdateTime = isStill ? (old.lastUpdateTime ?? timestamp(now)) : timestamp(now);
  return withCondition<DeploymentCondition>(list, { ...fact, lastUpdateTime }, now);
}
