import type { Pod } from "kubernetes-types/core/v1.js";
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "kubernetes-types/policy/v1.js";
import { PodDisruptionBudgets } from "../../../controller-kit/src/kube/builtin.ts";
import { withCondition } from "../../../controller-kit/src/kube/conditions.ts";
import type { Stored } from "../../../controller-kit/src/kube/kube.ts";
import { isOver, isReady } from "../../../controller-kit/src/kube/pods.ts";
import { controllerOf, keyOf, refOf, refOfKey } from "../../../controller-kit/src/kube/ref.ts";
import { selects } from "../../../controller-kit/src/kube/selector.ts";
import { AT_REST, type Outcome } from "../../../controller-kit/src/reconcile/outcome.ts";
import type { ControllerDefinition, ControllerContext } from "./context/context.ts";
import { enqueueChanged } from "./context/informers.ts";
import { resolveCount } from "./objects/int-or-percent.ts";
import { isTerminating } from "./pods/state.ts";
import { writeStatus } from "./objects/write-status.ts";

/** Says in each PodDisruptionBudget how many of its pods may be evicted now. */
export function disruptionBudgetController(context: ControllerContext): ControllerDefinition {
  const { disruptionBudgets, pods, statefulSets, replicaSets } = context.informers;
  return {
    name: "disruption-budget",
    reconcile: (key) => reconcile(context, key),
    wire: (enqueue) => {
      enqueueChanged(disruptionBudgets, enqueue);
      const enqueueNamespace = (namespace: string | undefined): void => {
        for (const budget of disruptionBudgets.list()) {
          if (budget.metadata.namespace === namespace) enqueue(keyOf(refOf(budget)));
        }
      };
      for (const informer of [pods, statefulSets, replicaSets]) {
        informer.onChange(({ namespace }) => {
          enqueueNamespace(namespace);
        });
      }
    },
  };
}

async function reconcile(context: ControllerContext, key: string): Promise<Outcome> {
  const { kube, clock, informers } = context;
  const budget = await kube.get(PodDisruptionBudgets, refOfKey(key));
  if (budget?.spec === undefined || budget.metadata.deletionTimestamp !== undefined) return AT_REST;
  const { namespace } = budget.metadata;
  const { selector } = budget.spec;
  const pods = informers.pods
    .list()
    .filter((pod) => pod.metadata.namespace === namespace && selects(selector, pod.metadata.labels) && !isOver(pod));
  const status = statusOf(budget, pods, scaleOf(context, pods), clock.now());
  await writeStatus(kube, PodDisruptionBudgets, budget, { ...budget, status });
  return AT_REST;
}

function statusOf(
  budget: Stored<PodDisruptionBudget>,
  pods: readonly Stored<Pod>[],
  scale: number,
  now: Date,
): PodDisruptionBudgetStatus {
  const { minAvailable, maxUnavailable } = budget.spec ?? {};
  const isCounted = maxUnavailable === undefined && typeof minAvailable === "number";
  const expectedPods = isCounted ? pods.length : scale;
  const desiredHealthy =
    maxUnavailable === undefined
      ? resolveCount(minAvailable ?? 1, expectedPods, "up")
      : Math.max(0, expectedPods - resolveCount(maxUnavailable, expectedPods, "up"));
  const disruptedPods = podsUnderEviction(budget, pods, now);
  const currentHealthy = pods.filter(
    (pod) => isReady(pod) && !isTerminating(pod) && !(pod.metadata.name in disruptedPods),
  ).length;
  const disruptionsAllowed = expectedPods === 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const condition = {
    type: "DisruptionAllowed",
    ...(disruptionsAllowed > 0
      ? { status: "True", reason: "SufficientPods" }
      : { status: "False", reason: "InsufficientPods" }),
    message: "",
    observedGeneration: budget.metadata.generation ?? 0,
  };
  const { disruptedPods: _, ...before } = budget.status ?? {};
  return {
    ...before,
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    observedGeneration: budget.metadata.generation ?? 0,
    expectedPods,
    desiredHealthy,
    currentHealthy,
    disruptionsAllowed,
    conditions: [...withCondition(budget.status?.conditions, condition, now)],
  };
}

/** An eviction that has led to no deletion after this long is forgotten. */
const EVICTION_MS = 120_000;

/** Pods that were evicted and are not seen to go yet: the cache may lag behind the eviction that the budget counts. */
function podsUnderEviction(
  budget: Stored<PodDisruptionBudget>,
  pods: readonly Stored<Pod>[],
  now: Date,
): Record<string, string> {
  const evicted = Object.entries(budget.status?.disruptedPods ?? {}).filter(([name, since]) => {
    const pod = pods.find(({ metadata }) => metadata.name === name);
    return pod !== undefined && !isTerminating(pod) && Date.parse(since) + EVICTION_MS > now.getTime();
  });
  return Object.fromEntries(evicted);
}

/** How many pods the owners of these pods ask for; a pod without an owner counts as one. */
function scaleOf({ informers }: ControllerContext, pods: readonly Stored<Pod>[]): number {
  const owners = new Map<string, number>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    const ref = { ...refOf(pod), name: owner?.name ?? "" };
    const set =
      owner?.kind === "StatefulSet"
        ? informers.statefulSets.get(ref)
        : owner?.kind === "ReplicaSet"
          ? informers.replicaSets.get(ref)
          : undefined;
    owners.set(set?.metadata.uid ?? pod.metadata.uid, set?.spec?.replicas ?? 1);
  }
  return [...owners.values()].reduce((total, count) => total + count, 0);
}
