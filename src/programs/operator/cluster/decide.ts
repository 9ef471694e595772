import type { Finding } from "../../../core/api/parts.ts";
import { keyOf, refOf } from "#kit/kube/ref";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import { planCluster, type ClusterDecision } from "../../../core/planner/cluster/plan.ts";
import { contextOf } from "../context/cluster-context.ts";
import { observeOwnership, unknownOwnership, type OwnershipVerdict } from "./ownership.ts";
import { ownedOf, syncedOwnership } from "./owned-objects.ts";
import { wantedTemplate } from "../objects/stateful-set.ts";
import type { ClusterPassDeps } from "./deps.ts";
import { viewWithRestores } from "./pending-restores.ts";
import { waitUnasked } from "../../../core/planner/findings/step.ts";

/** Whether the cluster may take the names, accounts and Secrets that it asks for. */
export async function ownershipOf(deps: ClusterPassDeps, observation: ClusterObservation): Promise<OwnershipVerdict> {
  const { permissions } = observation.environment;
  // nothing is taken for a cluster without nodes before it is known what the operator may do
  if (permissions?.read === false && observation.view.workload === undefined) return unknownOwnership(false);
  // an object that the operator may not watch never becomes known; nothing is written then
  if (permissions?.read === true && permissions.value.some(({ who, spare }) => who === "operator" && spare !== true))
    return unknownOwnership(observation.view.workload !== undefined);
  await syncedOwnership(deps);
  return observeOwnership(deps, observation, ownedOf(deps, observation));
}

/** Decides what to do for the cluster, and gives its databases the cluster context. */
export function decide(
  { contexts, writings, missingPods, cache }: ClusterPassDeps,
  observation: ClusterObservation,
  { blocking, warnings }: OwnershipVerdict,
  unkept: readonly Finding[] = [],
): ClusterDecision {
  const { environment, rec } = observation;
  const wanted = wantedTemplate(observation);
  const seen = viewWithRestores(missingPods.viewOf(observation, writings.viewOf(observation)), cache);
  const planned = planCluster(seen, wanted, { ...environment, foreign: blocking, unkept });
  const decision = { ...planned, findings: [...planned.findings, ...warnings] };
  contexts.set(keyOf(refOf(rec)), contextOf(observation, decision.suspension));
  return decision;
}

/** The decision to wait for a cluster that has not been made and whose names are taken. */
export function waitForName(planned: ClusterDecision, { id, evidence }: Finding): ClusterDecision {
  return { ...planned, step: waitUnasked(id, evidence), ownsObjects: false };
}
