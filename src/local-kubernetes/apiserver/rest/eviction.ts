import { refusals, refuse } from "../faults.ts";
import type { Call } from "../http/call.ts";
import { at, childOf, jsonAt, mapAt, numberAt, textAt, type Json } from "../json.ts";
import { copyOf, keyOf, timestamp, type KubeObject } from "../object.ts";
import type { World } from "../world.ts";
import { remove, type DeleteOptions } from "./delete.ts";
import { isReady } from "./pods.ts";
import { matchesLabelSelector } from "./selectors.ts";
import type { Place } from "./write.ts";

const BUDGETS = "poddisruptionbudgets.policy";

/** Deletes a pod unless a PodDisruptionBudget forbids it (429); an allowed eviction is counted in the budget at once. */
export async function evict(world: World, call: Call, place: Place, pod: KubeObject, eviction: Json): Promise<void> {
  const options = optionsOf(call, eviction);
  if (!isPastCare(pod)) await spend(world, pod, options.dryRun);
  await remove(world, call, place, options);
}

async function spend(world: World, pod: KubeObject, dryRun: boolean): Promise<void> {
  const namespace = pod.metadata.namespace ?? "";
  const budgets = world.store.list(BUDGETS, `${namespace}/`).filter((budget) => covers(budget, pod));
  if (budgets.length > 1) {
    throw refuse(
      refusals.internal,
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  }
  const [budget] = budgets;
  if (budget === undefined || isReplaceable(budget, pod)) return;
  const allowed = numberAt(budget, "status", "disruptionsAllowed") ?? 0;
  const seen = numberAt(budget, "status", "observedGeneration") ?? 0;
  if (seen < (budget.metadata.generation ?? 0)) throw violated(budget, pod, "is still being processed by the server.");
  if (allowed < 1) {
    const healthy = numberAt(budget, "status", "currentHealthy") ?? 0;
    const needed = numberAt(budget, "status", "desiredHealthy") ?? 0;
    throw violated(budget, pod, `needs ${needed} healthy pods and has ${healthy} currently`);
  }
  if (dryRun) return;
  const next = copyOf(budget);
  const status = childOf(next, "status");
  status["disruptionsAllowed"] = allowed - 1;
  childOf(status, "disruptedPods")[pod.metadata.name] = timestamp(world.clock.now());
  const written = world.store.put(BUDGETS, keyOf(namespace, budget.metadata.name), next, budget);
  if (written === undefined) throw violated(budget, pod, "is changing at the moment");
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
  if (isReady(pod)) return false;
  if (textAt(budget, "spec", "unhealthyPodEvictionPolicy") === "AlwaysAllow") return true;
  const status = jsonAt(budget, "status");
  const needed = numberAt(status, "desiredHealthy") ?? 0;
  return needed > 0 && (numberAt(status, "currentHealthy") ?? 0) >= needed;
}

function optionsOf(call: Call, eviction: Json): DeleteOptions {
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

function violated(budget: KubeObject, pod: KubeObject, why: string): Error {
  const message = `The disruption budget ${budget.metadata.name} ${why}`;
  return refuse(refusals.tooManyRequests, "Cannot evict pod as it would violate the pod's disruption budget.", {
    name: pod.metadata.name,
    kind: "pods",
    causes: [{ reason: "DisruptionBudget", message, field: "" }],
    retryAfterSeconds: 10,
  });
}
