import { timestamp } from "../../../../controller-kit/src/kube/timestamp.ts";
import { isReady } from "../../../../controller-kit/src/kube/pods.ts";
import { apiErrors, apiError } from "../faults.ts";
import type { ApiCall } from "../http/call.ts";
import { at, childOf, jsonAt, listAt, mapAt, numberAt, textAt, type Json } from "../objects/json.ts";
import { copyOf, storeKey, type KubeObject } from "../objects/object.ts";
import type { ServerContext } from "../context/server-context.ts";
import { remove, type DeletionRequest } from "./delete.ts";
import { matchesLabelSelector } from "../objects/label-selector.ts";
import type { ResolvedTarget } from "./write.ts";

const BUDGETS = "poddisruptionbudgets.policy";

/** Deletes a pod unless a PodDisruptionBudget forbids it (429); an allowed eviction is counted in the budget at once. */
export async function evict(
  context: ServerContext,
  call: ApiCall,
  resolved: ResolvedTarget,
  pod: KubeObject,
  eviction: Json,
): Promise<void> {
  const options = optionsOf(call, eviction);
  if (!isPastCare(pod)) await spend(context, pod, options.dryRun);
  await remove(context, call, resolved, options);
}

async function spend(context: ServerContext, pod: KubeObject, dryRun: boolean): Promise<void> {
  const namespace = pod.metadata.namespace ?? "";
  const budgets = context.store.list(BUDGETS, `${namespace}/`).filter((budget) => covers(budget, pod));
  if (budgets.length > 1) {
    throw apiError(
      apiErrors.internal,
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  }
  const [budget] = budgets;
  if (budget === undefined || isReplaceable(budget, pod)) return;
  const allowed = numberAt(budget, "status", "disruptionsAllowed") ?? 0;
  const seen = numberAt(budget, "status", "observedGeneration") ?? 0;
  if (seen < (budget.metadata.generation ?? 0))
    throw budgetError(budget, pod, "is still being processed by the server.");
  if (allowed < 1) {
    const healthy = numberAt(budget, "status", "currentHealthy") ?? 0;
    const needed = numberAt(budget, "status", "desiredHealthy") ?? 0;
    throw budgetError(budget, pod, `needs ${needed} healthy pods and has ${healthy} currently`);
  }
  if (dryRun) return;
  const next = copyOf(budget);
  const status = childOf(next, "status");
  status["disruptionsAllowed"] = allowed - 1;
  childOf(status, "disruptedPods")[pod.metadata.name] = timestamp(context.clock.now());
  const written = context.store.put(BUDGETS, storeKey(namespace, budget.metadata.name), next, budget);
  if (written === undefined) throw budgetError(budget, pod, "is changing at the moment");
  await written;
}

function covers(budget: KubeObject, pod: KubeObject): boolean {
  const selector = at(budget, "spec", "selector");
  return selector !== undefined && matchesLabelSelector(selector, mapAt(pod, "metadata", "labels"));
}

/** Pods that have ended, or have not begun, or are going already. */
function isPastCare(pod: KubeObject): boolean {
  const phase = textAt(pod, "status", "phase");
  return ["Succeeded", "Failed", "Pending"].includes(phase) || pod.metadata.deletionTimestamp !== undefined;
}

/** A pod that is not ready may go when the budget does not count on it. */
function isReplaceable(budget: KubeObject, pod: KubeObject): boolean {
  if (isReady({ status: { conditions: listAt(pod, "status", "conditions") } })) return false;
  if (textAt(budget, "spec", "unhealthyPodEvictionPolicy") === "AlwaysAllow") return true;
  const status = jsonAt(budget, "status");
  const needed = numberAt(status, "desiredHealthy") ?? 0;
  return needed > 0 && (numberAt(status, "currentHealthy") ?? 0) >= needed;
}

function optionsOf(call: ApiCall, eviction: Json): DeletionRequest {
  const sent = jsonAt(eviction, "deleteOptions");
  const dryRun = [call.query.getAll("dryRun"), sent["dryRun"]].some(
    (list) => Array.isArray(list) && list.includes("All"),
  );
  return {
    gracePeriodSeconds: numberAt(sent, "gracePeriodSeconds"),
    propagation: textAt(sent, "propagationPolicy"),
    uid: textAt(sent, "preconditions", "uid"),
    resourceVersion: textAt(sent, "preconditions", "resourceVersion"),
    dryRun,
  };
}

function budgetError(budget: KubeObject, pod: KubeObject, why: string): Error {
  const message = `The disruption budget ${budget.metadata.name} ${why}`;
  return apiError(apiErrors.tooManyRequests, "Cannot evict pod as it would violate the pod's disruption budget.", {
    name: pod.metadata.name,
    kind: "pods",
    causes: [{ reason: "DisruptionBudget", message, field: "" }],
    retryAfterSeconds: 10,
  });
}
