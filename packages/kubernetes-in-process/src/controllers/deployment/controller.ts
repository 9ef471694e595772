import type { Deployment, ReplicaSet } from "kubernetes-types/apps/v1.js";
import { Deployments, Pods, ReplicaSets } from "../../../../controller-kit/src/kube/builtin.ts";
import { eventRecorder, type EventRecorder } from "../../../../controller-kit/src/kube/events.ts";
import type { Stored } from "../../../../controller-kit/src/kube/kube.ts";
import { isOver } from "../../../../controller-kit/src/kube/pods.ts";
import { controllerOf, keyOf, refOf, refOfKey } from "../../../../controller-kit/src/kube/ref.ts";
import { selectorText } from "../../../../controller-kit/src/kube/selector.ts";
import { AT_REST, lookAgain, type Outcome } from "../../../../controller-kit/src/reconcile/outcome.ts";
import { claimOwned } from "../objects/claim.ts";
import type { ControllerDefinition, ControllerContext } from "../context/context.ts";
import { enqueueChanged, enqueueOwner } from "../context/informers.ts";
import { resolveCount } from "../objects/int-or-percent.ts";
import { writeStatus } from "../objects/write-status.ts";
import { freshSet, REVISION, revisionOf, sortSets } from "./replica-sets.ts";
import { nextScalings, type RolloutView, type Scaling, type ReplicaSetView } from "./rollout.ts";
import { deploymentStatus, lateInMs, type RolloutProgress } from "./status.ts";

/** Replaces the pods of a Deployment by those of its current template, through one ReplicaSet a template. */
export function deploymentController(context: ControllerContext): ControllerDefinition {
  const events = eventRecorder(context.kube, { component: "deployment-controller", ...context });
  return {
    name: "deployment",
    workers: 2,
    reconcile: (key) => reconcile(context, events, key),
    wire: (enqueue) => {
      enqueueChanged(context.informers.deployments, enqueue);
      enqueueOwner(context.informers.replicaSets, "Deployment", enqueue);
      // Recreate waits until the last old pod is gone, which no ReplicaSet tells
      enqueueOwner(context.informers.pods, "ReplicaSet", (key) => {
        const set = context.informers.replicaSets.get(refOfKey(key));
        const owner = set === undefined ? undefined : controllerOf(set);
        if (owner !== undefined) enqueue(keyOf({ ...refOfKey(key), name: owner.name }));
      });
    },
  };
}

async function reconcile(context: ControllerContext, events: EventRecorder, key: string): Promise<Outcome> {
  const deployment = await context.kube.get(Deployments, refOfKey(key));
  if (deployment?.spec === undefined) return AT_REST;
  const { template, selector, paused = false } = deployment.spec;
  const sets = await claimOwned(context.kube, ReplicaSets, deployment, selector);
  const { fresh, old } = sortSets(template, sets);
  const limits = limitsOf(deployment);
  const isHeld = deployment.metadata.deletionTimestamp !== undefined || (paused && fresh === undefined);
  if (isHeld) return report(context, deployment, { fresh, sets, ...limits, isNew: false });
  const revision = Math.max(0, ...old.map(revisionOf)) + 1;
  const current = fresh ?? (await context.kube.create(ReplicaSets, freshSet(deployment, template, revision)));
  const numbered = await number(context, deployment, current, revision);
  const scalings = paused ? [] : nextScalings(await viewOf(context, numbered, current, old, limits));
  await scale(context, events, numbered, [...old, current], scalings);
  await forgetOld(context, numbered, old);
  return report(context, numbered, { fresh: current, sets: [...old, current], ...limits, isNew: fresh === undefined });
}

interface Limits {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

function limitsOf({ spec }: Stored<Deployment>): Limits {
  const replicas = spec?.replicas ?? 1;
  const { maxSurge = "25%", maxUnavailable = "25%" } = spec?.strategy?.rollingUpdate ?? {};
  if (spec?.strategy?.type === "Recreate") return { maxSurge: 0, maxUnavailable: replicas };
  const surge = resolveCount(maxSurge, replicas, "up");
  const missing = Math.min(replicas, resolveCount(maxUnavailable, replicas, "down"));
  // with neither, nothing could ever move
  return { maxSurge: surge, maxUnavailable: surge === 0 && missing === 0 ? 1 : missing };
}

async function viewOf(
  { kube }: ControllerContext,
  deployment: Stored<Deployment>,
  fresh: Stored<ReplicaSet>,
  old: readonly Stored<ReplicaSet>[],
  limits: Limits,
): Promise<RolloutView> {
  const replicas = deployment.spec?.replicas ?? 1;
  if (deployment.spec?.strategy?.type !== "Recreate") {
    return { replicas, rolling: limits, fresh: setView(fresh), old: old.map((set) => setView(set)) };
  }
  const labelSelector = selectorText(deployment.spec.selector);
  const { items } = await kube.list(Pods, { namespace: deployment.metadata.namespace ?? "", labelSelector });
  const living = (set: Stored<ReplicaSet>): number =>
    items.filter((pod) => controllerOf(pod)?.uid === set.metadata.uid && !isOver(pod)).length;
  return { replicas, fresh: setView(fresh), old: old.map((set) => setView(set, living(set))) };
}

function setView({ metadata, spec, status }: Stored<ReplicaSet>, existing = status?.replicas ?? 0): ReplicaSetView {
  return { name: metadata.name, wanted: spec?.replicas ?? 0, available: status?.availableReplicas ?? 0, existing };
}

/** Gives the set of the current template the highest revision, a template that comes back included. */
async function number(
  { kube }: ControllerContext,
  deployment: Stored<Deployment>,
  fresh: Stored<ReplicaSet>,
  least: number,
): Promise<Stored<Deployment>> {
  const revision = Math.max(least, revisionOf(fresh));
  const annotate = { type: "merge", body: { metadata: { annotations: { [REVISION]: String(revision) } } } } as const;
  if (revisionOf(fresh) !== revision) await kube.patch(ReplicaSets, refOf(fresh), annotate);
  if (revisionOf(deployment) === revision) return deployment;
  return kube.patch(Deployments, refOf(deployment), annotate);
}

async function scale(
  { kube }: ControllerContext,
  events: EventRecorder,
  deployment: Stored<Deployment>,
  sets: readonly Stored<ReplicaSet>[],
  scalings: readonly Scaling[],
): Promise<void> {
  for (const { name, replicas } of scalings) {
    const set = sets.find(({ metadata }) => metadata.name === name);
    if (set === undefined) continue;
    const before = set.spec?.replicas ?? 0;
    await kube.patch(ReplicaSets, refOf(set), { type: "merge", body: { spec: { replicas } } });
    const message = `Scaled ${replicas > before ? "up" : "down"} replica set ${name} from ${before} to ${replicas}`;
    events.record(deployment, "Normal", "ScalingReplicaSet", message);
  }
}

/** Keeps as many empty old sets as the Deployment's history asks for. */
async function forgetOld(
  { kube }: ControllerContext,
  deployment: Stored<Deployment>,
  old: readonly Stored<ReplicaSet>[],
): Promise<void> {
  const isEmpty = ({ spec, status }: Stored<ReplicaSet>): boolean => spec?.replicas === 0 && status?.replicas === 0;
  const empty = old.filter(isEmpty);
  const kept = deployment.spec?.revisionHistoryLimit ?? 10;
  for (const set of empty.slice(0, Math.max(0, empty.length - kept))) {
    await kube.delete(ReplicaSets, refOf(set), { propagation: "Background" });
  }
}

async function report(
  { kube, clock }: ControllerContext,
  deployment: Stored<Deployment>,
  progress: RolloutProgress,
): Promise<Outcome> {
  const now = clock.now();
  const status = deploymentStatus(deployment, progress, now);
  await writeStatus(kube, Deployments, deployment, { ...deployment, status });
  const lateMs = lateInMs(deployment, status, now);
  return lateMs === undefined ? AT_REST : lookAgain(lateMs);
}
