/** What matters of one pod of a StatefulSet. */
export interface PodView {
  readonly ordinal: number;
  /** Name of the ControllerRevision that it was made after. */
  readonly revision: string;
  /** Has run to its end. */
  readonly over: boolean;
  readonly terminating: boolean;
  /** Running and ready. */
  readonly ready: boolean;
  /** Ready for as long as `minReadySeconds` asks. */
  readonly available: boolean;
}

export interface StatefulSetView {
  /** The lowest ordinal, and how many there are from it on. */
  readonly start: number;
  readonly replicas: number;
  /** One pod at a time, in order: the policy OrderedReady. */
  readonly ordered: boolean;
  /** Absent for the strategy OnDelete; ordinals below `partition` keep the current revision. */
  readonly rolling?: { readonly partition: number };
  readonly currentRevision: string;
  readonly updateRevision: string;
  readonly pods: readonly PodView[];
}

export type PodAction =
  | { readonly kind: "create"; readonly ordinal: number; readonly revision: string }
  | { readonly kind: "delete"; readonly ordinal: number; readonly because: "over" | "surplus" | "stale" };

/**
 * The next changes of a StatefulSet, as upstream decides them: first the pods that are missing, then those that are
 * too many, then at most one that has an old revision. Under OrderedReady each step waits until the one before it is
 * ready; under Parallel only updates go one at a time.
 */
export function nextActions(view: StatefulSetView): PodAction[] {
  const filling = fill(view);
  if (filling.blocked) return filling.actions;
  const shrinking = shrink(view);
  const actions = [...filling.actions, ...shrinking.actions];
  if (shrinking.blocked) return actions;
  const created = new Set(filling.actions.map(({ ordinal }) => ordinal));
  const update = updateOne(view, created);
  return update === undefined ? actions : [...actions, update];
}

interface Step {
  readonly actions: PodAction[];
  /** Nothing further may be done in this pass. */
  readonly blocked: boolean;
}

function fill(view: StatefulSetView): Step {
  const actions: PodAction[] = [];
  for (let ordinal = view.start; ordinal < view.start + view.replicas; ordinal += 1) {
    const pod = podAt(view, ordinal);
    if (pod === undefined) actions.push({ kind: "create", ordinal, revision: revisionFor(view, ordinal) });
    if (pod?.over === true) {
      if (!pod.terminating) actions.push({ kind: "delete", ordinal, because: "over" });
      return { actions, blocked: true };
    }
    if (view.ordered && !isSettled(pod)) return { actions, blocked: true };
  }
  return { actions, blocked: false };
}

function shrink(view: StatefulSetView): Step {
  const end = view.start + view.replicas;
  const surplus = view.pods
    .filter(({ ordinal }) => ordinal < view.start || ordinal >= end)
    .toSorted((a, b) => b.ordinal - a.ordinal);
  const first = firstUnhealthy(view);
  const actions: PodAction[] = [];
  for (const pod of surplus) {
    if (view.ordered && (pod.terminating || (!isSettled(pod) && pod !== first))) return { actions, blocked: true };
    if (!pod.terminating) actions.push({ kind: "delete", ordinal: pod.ordinal, because: "surplus" });
    if (view.ordered) return { actions, blocked: true };
  }
  return { actions, blocked: false };
}

/** Highest ordinal first; a stale pod goes even when it is unhealthy, an unhealthy pod of the new revision stops the roll. */
function updateOne(view: StatefulSetView, created: ReadonlySet<number>): PodAction | undefined {
  if (view.rolling === undefined) return undefined;
  const lowest = Math.max(view.start, view.rolling.partition);
  for (let ordinal = view.start + view.replicas - 1; ordinal >= lowest; ordinal -= 1) {
    const pod = podAt(view, ordinal);
    const revision = created.has(ordinal) ? revisionFor(view, ordinal) : pod?.revision;
    if (pod !== undefined && revision !== view.updateRevision && !pod.terminating)
      return { kind: "delete", ordinal, because: "stale" };
    if (pod === undefined || !isSettled(pod)) return undefined;
  }
  return undefined;
}

function revisionFor(view: StatefulSetView, ordinal: number): string {
  const keepsCurrent = view.rolling !== undefined && ordinal < view.rolling.partition;
  return keepsCurrent ? view.currentRevision : view.updateRevision;
}

function podAt(view: StatefulSetView, ordinal: number): PodView | undefined {
  return view.pods.find((pod) => pod.ordinal === ordinal);
}

function isSettled(pod: PodView | undefined): boolean {
  return pod !== undefined && pod.ready && pod.available && !pod.terminating;
}

function firstUnhealthy(view: StatefulSetView): PodView | undefined {
  const isHealthy = (pod: PodView): boolean => pod.ready && !pod.terminating;
  return view.pods.toSorted((a, b) => a.ordinal - b.ordinal).find((pod) => !isHealthy(pod));
}
