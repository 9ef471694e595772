import type { StatefulSet } from "kubernetes-types/apps/v1.js";
import type { PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.js";
import { isFault } from "../../../../controller-kit/src/base/fault.ts";
import { PersistentVolumeClaims, Pods, StatefulSets } from "../../../../controller-kit/src/kube/builtin.ts";
import { eventRecorder, type EventRecorder } from "../../../../controller-kit/src/kube/events.ts";
import { faults } from "../../../../controller-kit/src/kube/faults.ts";
import type { Stored, Wanted } from "../../../../controller-kit/src/kube/kube.ts";
import { isOver, isReady } from "../../../../controller-kit/src/kube/pods.ts";
import { keyOf, refOf, refOfKey } from "../../../../controller-kit/src/kube/ref.ts";
import { AT_REST, lookAgain, type Outcome } from "../../../../controller-kit/src/reconcile/outcome.ts";
import { claimOwned } from "../objects/claim.ts";
import type { ControllerDefinition, ControllerContext } from "../context/context.ts";
import { createPod } from "../pods/create.ts";
import { enqueueChanged, enqueueOwner } from "../context/informers.ts";
import { availableInMs, isTerminating } from "../pods/state.ts";
import { writeStatus } from "../objects/write-status.ts";
import { claimsOf, ordinalOf, podWithIdentity, REVISION_LABEL } from "./identity.ts";
import { nextActions, type PodAction, type PodView, type StatefulSetView } from "./plan.ts";
import { forgetRevisions, revisionsOf, templateIn, type Revisions } from "./revisions.ts";
import { statefulSetStatus } from "./status.ts";

/** Keeps the pods of a StatefulSet, each with its own name and volumes, and rolls them to a new template. */
export function statefulSetController(context: ControllerContext): ControllerDefinition {
  const events = eventRecorder(context.kube, { component: "statefulset-controller", ...context });
  return {
    name: "statefulset",
    workers: 2,
    reconcile: (key) => reconcile(context, events, key),
    wire: (enqueue) => {
      enqueueChanged(context.informers.statefulSets, enqueue);
      enqueueOwner(context.informers.pods, "StatefulSet", enqueue);
      context.informers.claims.onChange(({ namespace }, current) => {
        // a claim does not name its set, and pods may wait for another one of that name
        if (current !== undefined) return;
        for (const set of context.informers.statefulSets.list())
          if (set.metadata.namespace === namespace) enqueue(keyOf(refOf(set)));
      });
    },
  };
}

/** A pod of a set, with what the decision needs of it. */
interface Member {
  readonly pod: Stored<Pod>;
  readonly view: PodView;
  readonly availableInMs: number | undefined;
}

async function reconcile(context: ControllerContext, events: EventRecorder, key: string): Promise<Outcome> {
  const { kube, clock } = context;
  const set = await kube.get(StatefulSets, refOfKey(key));
  if (set?.spec === undefined) return AT_REST;
  const revisions = await revisionsOf(kube, set);
  const pods = await claimOwned(kube, Pods, set, set.spec.selector);
  const members = pods.flatMap((pod) => memberOf(set, pod, clock.now()));
  const views = members.map(({ view }) => view);
  const [current, update] = [revisions.current.metadata.name, revisions.update.metadata.name];
  if (set.metadata.deletionTimestamp === undefined) {
    for (const { view } of members.filter(isWaitingToStart)) await makeClaims(kube, set, view.ordinal);
    for (const action of nextActions(viewOf(set, views, current, update)))
      await act(context, events, set, members, revisions, action);
    await forgetRevisions(kube, set, revisions, new Set(views.map(({ revision }) => revision)));
  }
  await writeStatus(kube, StatefulSets, set, { ...set, status: statefulSetStatus(set, views, current, update) });
  const waits = members.flatMap(({ availableInMs: ms }) => (ms === undefined || ms === 0 ? [] : [ms]));
  return waits.length === 0 ? AT_REST : lookAgain(Math.min(...waits));
}

/** It does not start without its claims, whatever has become of them since it was made. */
function isWaitingToStart({ pod, view }: Member): boolean {
  return pod.status?.phase === "Pending" && !view.terminating;
}

function memberOf(set: Stored<StatefulSet>, pod: Stored<Pod>, now: Date): Member[] {
  const ordinal = ordinalOf(set, pod.metadata.name);
  if (ordinal === undefined) return [];
  const ms = availableInMs(pod, set.spec?.minReadySeconds ?? 0, now);
  const revision = pod.metadata.labels?.[REVISION_LABEL] ?? "";
  const view = {
    ordinal,
    revision,
    over: isOver(pod),
    terminating: isTerminating(pod),
    ready: isReady(pod),
    available: ms === 0,
  };
  return [{ pod, view, availableInMs: ms }];
}

function viewOf(
  { spec }: Stored<StatefulSet>,
  pods: readonly PodView[],
  currentRevision: string,
  updateRevision: string,
): StatefulSetView {
  return {
    start: spec?.ordinals?.start ?? 0,
    replicas: spec?.replicas ?? 1,
    ordered: spec?.podManagementPolicy !== "Parallel",
    ...(spec?.updateStrategy?.type === "OnDelete"
      ? {}
      : { rolling: { partition: spec?.updateStrategy?.rollingUpdate?.partition ?? 0 } }),
    currentRevision,
    updateRevision,
    pods,
  };
}

async function act(
  { kube }: ControllerContext,
  events: EventRecorder,
  set: Stored<StatefulSet>,
  members: readonly Member[],
  { current, update }: Revisions,
  action: PodAction,
): Promise<void> {
  const name = `${set.metadata.name}-${action.ordinal}`;
  if (action.kind === "create") {
    if (!(await makeClaims(kube, set, action.ordinal))) return; // again once the former claim has gone
    const revision = action.revision === update.metadata.name ? update : current;
    await createPod(kube, events, set, podWithIdentity(set, templateIn(revision), action.ordinal, action.revision));
    events.record(
      set,
      "Normal",
      "SuccessfulCreate",
      `create Pod ${name} in StatefulSet ${set.metadata.name} successful`,
    );
    return;
  }
  const pod = members.find(({ view }) => view.ordinal === action.ordinal)?.pod;
  if (pod === undefined) return;
  await kube.delete(Pods, refOf(pod), { uid: pod.metadata.uid });
  events.record(set, "Normal", "SuccessfulDelete", `delete Pod ${name} in StatefulSet ${set.metadata.name} successful`);
}

/** Makes those that are missing: one is kept from the pod before. False when a former one is still being deleted. */
async function makeClaims(
  kube: ControllerContext["kube"],
  set: Stored<StatefulSet>,
  ordinal: number,
): Promise<boolean> {
  const made = await Promise.all(claimsOf(set, ordinal).map((claim) => makeClaim(kube, claim)));
  return made.every((isThere) => isThere);
}

async function makeClaim(kube: ControllerContext["kube"], claim: Wanted<PersistentVolumeClaim>): Promise<boolean> {
  try {
    await kube.create(PersistentVolumeClaims, claim);
    return true;
  } catch (error) {
    if (!isFault(error, faults.alreadyExists)) throw error;
    const { namespace = "" } = claim.metadata;
    const there = await kube.get(PersistentVolumeClaims, { name: claim.metadata.name, namespace });
    return there !== undefined && there.metadata.deletionTimestamp === undefined;
  }
}
