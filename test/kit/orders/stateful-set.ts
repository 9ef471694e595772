import { nextActions, type PodView } from "#kubernetes/controllers/statefulset/plan";
import type { NodePod, Workload } from "../../../src/core/planner/view/cluster-view.ts";

/** What the pods of a cluster are made from. */
export interface Template {
  readonly tag: string;
  /** Stands for everything else that the spec of a cluster says: annotations, resources, modules. */
  readonly note: string;
  /** What `kubectl rollout restart` adds. */
  readonly restarted: number;
}

/** A StatefulSet as the API server stores it. */
export interface StatefulSet {
  readonly template: Template;
  /** Hash that the operator notes of the template that it wrote. */
  readonly hash: string;
  readonly replicas: number;
  readonly partition: number;
  readonly generation: number;
  readonly observedGeneration: number;
  readonly currentRevision: string;
  readonly updateRevision: string;
}

/** The name of the revision of a template: the same for the same template. */
export function revisionOf({ tag, note, restarted }: Template): string {
  return `${tag}/${note}/${restarted}`;
}

/** The template of a revision. */
export function templateOf(revision: string): Template {
  const [tag = "", note = "", restarted = "0"] = revision.split("/");
  return { tag, note, restarted: Number(restarted) };
}

/** The StatefulSet as the planner looks at it. */
export function workloadOf(set: StatefulSet): Workload {
  const { template, hash, replicas, partition, generation } = set;
  return {
    replicas,
    partition,
    template: hash,
    image: `storeenterprise/node:${template.tag}`,
    nodeTag: template.tag,
    updateRevision: set.updateRevision,
    currentRevision: set.currentRevision,
    observed: set.observedGeneration === generation,
    writing: `sts/${generation}`,
    volumes: { size: "20Gi", storageClassName: undefined },
    presence: "there",
  };
}

/** What the StatefulSet controller does next, by the rules of upstream. */
export function actionsOf(set: StatefulSet, pods: readonly NodePod[]): ReturnType<typeof nextActions> {
  return nextActions({
    start: 0,
    replicas: set.replicas,
    ordered: false,
    rolling: { partition: set.partition },
    currentRevision: set.currentRevision,
    updateRevision: revisionOf(set.template),
    pods: pods.map(podView),
  });
}

/** The ordinal of the pod that the StatefulSet controller would replace now; undefined when it would replace none. */
export function replacedNext(set: StatefulSet, pods: readonly NodePod[]): number | undefined {
  return actionsOf(set, pods).find((action) => action.kind === "delete" && action.because === "stale")?.ordinal;
}

/** What its controller reports of a StatefulSet: the update revision becomes the current one when all pods have it and are ready. */
export function observed(set: StatefulSet, pods: readonly NodePod[]): StatefulSet {
  const updateRevision = revisionOf(set.template);
  const isRolled =
    pods.length === set.replicas &&
    pods.every((pod) => pod.revision === updateRevision && !pod.deleting && isReady(pod));
  return {
    ...set,
    updateRevision,
    observedGeneration: set.generation,
    currentRevision: isRolled ? updateRevision : set.currentRevision,
  };
}

function podView(pod: NodePod): PodView {
  const ready = isReady(pod);
  const { ordinal, revision, deleting: terminating } = pod;
  return { ordinal, revision, terminating, ready, over: false, available: ready };
}

function isReady({ containerReady, inService }: NodePod): boolean {
  return containerReady && inService;
}
