import type { Clock } from "#kit/base/clock";
import { messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import type { StoreEnterpriseCluster } from "../../../core/api/kinds.ts";
import type { ClusterSpec } from "../../../core/api/cluster-spec.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { Kube, Stored } from "#kit/kube/kube";
import { keyOf, refOf, refOfKey } from "#kit/kube/ref";
import { isSame } from "#kit/kube/same";
import {
  observeCluster,
  readClusterSpec,
  cachedReads,
  liveReads,
  type ClusterObservation,
  type ObserveDeps,
} from "../../../mechanisms/observe/cluster.ts";
import type { Connections } from "../../../mechanisms/observe/management/connections.ts";
import { Clusters } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { findingBehind, waitUnasked } from "../../../core/planner/findings/step.ts";
import type { Statement } from "../../../core/planner/findings/statement.ts";
import { planCluster, type ClusterDecision } from "../../../core/planner/cluster/plan.ts";
import { PERMISSIONS_MISSING } from "../../../core/planner/prerequisites/permissions.ts";
import type { AppliedKind } from "#kit/reconcile/object-applier";
import { AT_REST, lookAgain, type Outcome } from "#kit/reconcile/outcome";
import { reportFailedPass } from "../objects/failed-condition.ts";
import { noteReported, withFailuresReported } from "../objects/pass-failure.ts";
import { contextOf, forbiddenContext, invalidContext, type ClusterContexts } from "../context/cluster-context.ts";
import { forbiddenFinding } from "../context/forbidden.ts";
import type { FindingLog } from "../objects/finding-log.ts";
import { isAllKept, keepAll, keptVersions, type Kept, type KeeperDeps } from "./keepers.ts";
import { perform } from "./acts.ts";
import { removeCluster } from "./removal.ts";
import { report, reportForbidden, reportUnreadable } from "./report.ts";
import { nextStatus } from "./status.ts";
import { observeOwnership, unknownOwnership, type OwnershipVerdict } from "./ownership.ts";
import { ownedOf, syncedOwnership } from "./owned-objects.ts";
import { wantedTemplate } from "../objects/stateful-set.ts";
import type { WorkloadWritings } from "./workload-writings.ts";

export interface ClusterDeps extends ObserveDeps, KeeperDeps {
  readonly kube: Kube;
  readonly connections: Connections;
  readonly clock: Clock;
  readonly log: Log;
  readonly applied: readonly AppliedKind[];
  /** Receives what databases depend on. */
  readonly contexts: ClusterContexts;
  /** What is known of the operator's own installation. */
  readonly installation: () => readonly Statement[];
  readonly findings: FindingLog;
  /** What was written into StatefulSets. */
  readonly writings: WorkloadWritings;
}

/** How often a cluster is looked at, in milliseconds: at rest, and while it changes. */
const REST_MS = 5_000;
const STEP_MS = 300;
/** How often facts that the operator does not watch are read again while the cluster rests. */
const READ_MS = 30_000;
/** How often a cluster is checked that waits for a user, for instance for permissions. */
const FORBIDDEN_MS = 1_000;
const BLOCKED_MS = 1_000;

/**
 * One pass over a StoreEnterpriseCluster: observe, decide, do one act and keep what is kept beside it (`KEEPERS`), report. The informer cache
 * and the cluster's own answers show that a cluster still rests; for every other decision the objects are read anew.
 */
export function clusterReconciler(deps: ClusterDeps): (key: string) => Promise<Outcome> {
  const foundAtRest = new Map<string, { readonly at: number; readonly versions: string }>();
  const reconcile = async (key: string): Promise<Outcome> => {
    const at = deps.clock.uptimeMs();
    const versions = keptVersions(deps.cache, refOfKey(key));
    const known = foundAtRest.get(key);
    const isLate = known === undefined || at - known.at >= READ_MS || known.versions !== versions;
    if (!isLate && (await stillRests(deps, key))) return resting;
    foundAtRest.delete(key);
    const outcome = await observeOrReport(deps, key);
    if (outcome === resting) foundAtRest.set(key, { at, versions });
    return outcome;
  };
  return withFailuresReported(reconcile, reportFailedPass(deps, Clusters, deps.cache.clusters), deps.log);
}

const resting = lookAgain(REST_MS);

async function observeOrReport(deps: ClusterDeps, key: string): Promise<Outcome> {
  const rec = await deps.kube.get(Clusters, refOfKey(key));
  if (rec === undefined) {
    deps.contexts.set(key, undefined);
    deps.findings.report("cluster", refOfKey(key), []);
    return AT_REST;
  }
  const spec = readClusterSpec(rec);
  if (typeof spec === "string") {
    deps.contexts.set(key, invalidContext(rec.metadata.name, spec));
    await reportUnreadable(deps, rec, spec);
    return AT_REST;
  }
  try {
    return await pass(deps, rec, spec);
  } catch (error) {
    const finding = await forbiddenFinding(deps, rec.metadata.namespace ?? "default", error);
    if (finding === undefined) throw error;
    deps.contexts.set(key, forbiddenContext(finding));
    await reportForbidden(deps, rec, finding);
    return lookAgain(FORBIDDEN_MS);
  }
}

async function pass(deps: ClusterDeps, rec: Stored<StoreEnterpriseCluster>, spec: ClusterSpec): Promise<Outcome> {
  const observation = await observeCluster(deps, liveReads(deps.kube), rec, spec, 0);
  const ownership = await ownershipOf(deps, observation);
  const { view, namespace } = observation;
  const planned = decide(deps, observation, ownership);
  if (view.deleting) return removeCluster(deps, observation, ownership);
  const [foreign] = ownership.blocking;
  if (foreign !== undefined && !ownership.isMade) {
    await report(deps, observation, waitForName(planned, foreign));
    return lookAgain(BLOCKED_MS);
  }
  const { failure, findings: noted = [], userModules } = await act(deps, observation, planned, ownership);
  const decision = { ...planned, findings: [...planned.findings, ...noted] };
  if (failure === undefined) {
    await report(deps, observation, decision, userModules);
    return outcomeOf(decision);
  }
  const forbidden = await forbiddenFinding(deps, namespace, failure);
  await report(deps, observation, failedDecision(decision, failure, forbidden));
  if (forbidden !== undefined) return lookAgain(FORBIDDEN_MS);
  deps.events.record(rec, "Warning", "StepFailed", messageOf(failure));
  noteReported(failure);
  throw failure;
}

/** Whether the cluster may take the names, accounts and Secrets that it asks for. */
async function ownershipOf(deps: ClusterDeps, observation: ClusterObservation): Promise<OwnershipVerdict> {
  const { permissions } = observation.environment;
  // nothing is taken for a cluster without nodes before it is known what the operator may do
  if (permissions?.read === false && observation.view.workload === undefined) return unknownOwnership(false);
  // an object that the operator may not watch never becomes known; nothing is written then
  if (permissions?.read === true && permissions.value.some(({ who, spare }) => who === "operator" && spare !== true))
    return unknownOwnership(observation.view.workload !== undefined);
  await syncedOwnership(deps);
  return observeOwnership(deps, observation, ownedOf(deps, observation));
}

/** The decision to wait for a cluster that has not been made and whose names are taken. */
function waitForName(planned: ClusterDecision, { id, evidence }: Finding): ClusterDecision {
  return { ...planned, step: waitUnasked(id, evidence), ownsObjects: false };
}

/** Decides what to do for the cluster, and gives its databases the cluster context. */
function decide(
  { contexts, writings }: ClusterDeps,
  observation: ClusterObservation,
  { blocking, warnings }: OwnershipVerdict,
): ClusterDecision {
  const { environment, rec } = observation;
  const wanted = wantedTemplate(observation);
  const planned = planCluster(writings.viewOf(observation), wanted, { ...environment, foreign: blocking });
  const decision = { ...planned, findings: [...planned.findings, ...warnings] };
  contexts.set(keyOf(refOf(rec)), contextOf(observation, decision.suspension));
  return decision;
}

/** Whether a pass would find nothing to do and nothing to report. */
async function stillRests(deps: ClusterDeps, key: string): Promise<boolean> {
  const { cache, clock } = deps;
  const rec = cache.clusters.get(refOfKey(key));
  const spec = rec && readClusterSpec(rec);
  if (rec === undefined || spec === undefined || typeof spec === "string") return false;
  const observation = await observeCluster(deps, cachedReads(cache), rec, spec, 0);
  const ownership = await ownershipOf(deps, observation);
  const decision = decide(deps, observation, ownership);
  return (
    decision.step.kind === "rest" &&
    !observation.view.deleting &&
    isAllKept(deps, { observation, decision, ownership }) &&
    isSame(rec.status ?? {}, nextStatus(observation, decision, deps.installation(), clock.now()))
  );
}

interface Acted extends Kept {
  /** What went wrong. */
  readonly failure?: Error;
}

async function act(
  deps: ClusterDeps,
  observation: ClusterObservation,
  decision: ClusterDecision,
  ownership: OwnershipVerdict,
): Promise<Acted> {
  try {
    const facts = { observation, decision, ownership };
    const before = await keepAll(deps, facts, "before the act");
    if (decision.step.kind === "act") {
      deps.log.info("performing a step", {
        cluster: observation.view.name,
        act: decision.step.act,
        why: decision.step.why,
      });
      await perform(deps, observation, decision.step.act);
    }
    const after = await keepAll(deps, facts, "after the act");
    return { ...after, findings: [...(before.findings ?? []), ...(after.findings ?? [])] };
  } catch (error) {
    // reported in the status first, thrown after that
    return { failure: error instanceof Error ? error : new Error(String(error)) };
  }
}

function failedDecision(decision: ClusterDecision, failure: Error, forbidden: Finding | undefined): ClusterDecision {
  if (forbidden === undefined) return { ...decision, step: waitUnasked("StepFailed", messageOf(failure)) };
  const others = decision.findings.filter(({ id }) => id !== forbidden.id);
  return { ...decision, step: waitUnasked(forbidden.id, forbidden.evidence), findings: [forbidden, ...others] };
}

function outcomeOf({ step, findings, change }: ClusterDecision): Outcome {
  const lacking = findings.find(({ id }) => id === PERMISSIONS_MISSING);
  if (lacking !== undefined && step.kind !== "act") return lookAgain(FORBIDDEN_MS);
  const changing = findings.find(({ id }) => id === "RotationWaits");
  if (changing !== undefined && step.kind === "rest") return lookAgain(BLOCKED_MS);
  switch (step.kind) {
    case "act":
      return lookAgain(1);
    case "wait":
      return lookAgain(findingBehind(step) === undefined ? STEP_MS : STEP_MS * 3);
    case "rest": {
      const blocking = findings.find(({ severity }) => severity === "block");
      // the fix may cause no event: a secret, a module server, a licence authority
      return blocking === undefined || change === undefined ? resting : lookAgain(BLOCKED_MS);
    }
  }
}
