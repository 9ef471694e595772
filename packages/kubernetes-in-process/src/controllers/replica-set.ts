import type { ReplicaSet } from "kubernetes-types/apps/v1.js";
import type { Pod } from "kubernetes-types/core/v1.js";
import { Pods, ReplicaSets } from "../../../controller-kit/src/kube/builtin.ts";
import { eventRecorder, type EventRecorder } from "../../../controller-kit/src/kube/events.ts";
import type { Stored } from "../../../controller-kit/src/kube/kube.ts";
import { isReady } from "../../../controller-kit/src/kube/pods.ts";
import { refOf, refOfKey } from "../../../controller-kit/src/kube/ref.ts";
import { selectsAll } from "../../../controller-kit/src/kube/selector.ts";
import { AT_REST, lookAgain, type Outcome } from "../../../controller-kit/src/reconcile/outcome.ts";
import { claimOwned } from "./objects/claim.ts";
import type { ControllerDefinition, ControllerContext } from "./context/context.ts";
import { createPod } from "./pods/create.ts";
import { enqueueChanged, enqueueOwner } from "./context/informers.ts";
import { podFrom, randomSuffix } from "./pods/template.ts";
import { availableInMs, isActive } from "./pods/state.ts";
import { writeStatus } from "./objects/write-status.ts";

/** Keeps as many pods of a ReplicaSet as it asks for. */
export function replicaSetController(context: ControllerContext): ControllerDefinition {
  const events = eventRecorder(context.kube, { component: "replicaset-controller", ...context });
  return {
    name: "replicaset",
    workers: 4,
    reconcile: (key) => reconcile(context, events, key),
    wire: (enqueue) => {
      enqueueChanged(context.informers.replicaSets, enqueue);
      enqueueOwner(context.informers.pods, "ReplicaSet", enqueue);
    },
  };
}

async function reconcile(context: ControllerContext, events: EventRecorder, key: string): Promise<Outcome> {
  const set = await context.kube.get(ReplicaSets, refOfKey(key));
  if (set?.spec === undefined) return AT_REST;
  const pods = (await claimOwned(context.kube, Pods, set, set.spec.selector)).filter(isActive);
  if (set.metadata.deletionTimestamp === undefined) await scale(context, events, set, pods);
  return reportStatus(context, set, pods);
}

async function scale(
  context: ControllerContext,
  events: EventRecorder,
  set: Stored<ReplicaSet>,
  pods: Stored<Pod>[],
): Promise<void> {
  const missing = (set.spec?.replicas ?? 1) - pods.length;
  const { template } = set.spec ?? {};
  for (let n = 0; n < missing && template !== undefined; n += 1) {
    const pod = await createPod(
      context.kube,
      events,
      set,
      podFrom(template, set, `${set.metadata.name}-${randomSuffix()}`),
    );
    events.record(set, "Normal", "SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
  }
  for (const pod of pods.toSorted(leastMissedFirst).slice(0, Math.max(0, -missing))) {
    await context.kube.delete(Pods, refOf(pod), { uid: pod.metadata.uid });
    events.record(set, "Normal", "SuccessfulDelete", `Deleted pod: ${pod.metadata.name}`);
  }
}

/** Unscheduled before scheduled, not ready before ready, young before old. */
function leastMissedFirst(a: Stored<Pod>, b: Stored<Pod>): number {
  const rank = (pod: Stored<Pod>): number => (pod.spec?.nodeName === undefined ? 0 : isReady(pod) ? 2 : 1);
  const age = (pod: Stored<Pod>): string => pod.metadata.creationTimestamp ?? "";
  return rank(a) - rank(b) || (age(a) < age(b) ? 1 : -1);
}

async function reportStatus(
  { kube, clock }: ControllerContext,
  set: Stored<ReplicaSet>,
  pods: Stored<Pod>[],
): Promise<Outcome> {
  const waits = pods.map((pod) => availableInMs(pod, set.spec?.minReadySeconds ?? 0, clock.now()));
  const labels = set.spec?.template?.metadata?.labels;
  await writeStatus(kube, ReplicaSets, set, {
    ...set,
    status: {
      ...set.status,
      replicas: pods.length,
      fullyLabeledReplicas: pods.filter((pod) => selectsAll(labels, pod.metadata.labels)).length,
      readyReplicas: pods.filter(isReady).length,
      availableReplicas: waits.filter((ms) => ms === 0).length,
      observedGeneration: set.metadata.generation ?? 0,
    },
  });
  const pending = waits.filter((ms) => ms !== undefined && ms > 0).map(Number);
  return pending.length === 0 ? AT_REST : lookAgain(Math.min(...pending));
}
