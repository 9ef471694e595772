import type { Clock } from "#kit/base/clock";
import { isFault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import type { StoreEnterpriseCluster } from "../../../core/api/kinds.ts";
import type { ClusterSpec } from "../../../core/api/cluster-spec.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { Kube, Stored } from "#kit/kube/kube";
import { faults } from "#kit/kube/faults";
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
import { findingBehind, waitFor, waitUnasked } from "../../../core/planner/findings/step.ts";
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
import { errorsIn, failureFindings, isRace } from "./failures.ts";
import { isAllKept, keepAll, keptVersions, type Kept, type KeeperDeps, type KeptAll } from "./keepers.ts";
import { perform } from "./acts.ts";
import { removeCluster } from "./removal.ts";
import { report, reportForbidden, reportUnreadable } from "./report.ts";
import { nextStatus } from "./status.ts";
import { observeOwnership, unknownOwnership, type OwnershipVerdict } from "./ownership.ts";
import { ownedOf, syncedOwnership } from "./owned-objects.ts";
import { wantedTemplate } from "../objects/stateful-set.ts";
import { MissingPods } from "./missing-pods.ts";
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

interface PassDeps extends ClusterDeps {
  readonly missingPods: MissingPods;
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
export function clusterReconciler(given: ClusterDeps): (key: string) => Promise<Outcome> {
  const deps = { ...given, missingPods: new MissingPods(given.clock) };
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

async function observeOrReport(deps: PassDeps, key: string): Promise<Outcome> {
  const rec = await deps.kube.get(Clusters, refOfKey(key));
  if (rec === undefined) {
    deps.contexts.set(key, undefined);
    deps.missingPods.forget(key);
    deps.writings.forget(key);
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

async function pass(deps: PassDeps, rec: Stored<StoreEnterpriseCluster>, spec: ClusterSpec): Promise<Outcome> {
  const observation = await observeCluster(deps, liveReads(deps.kube), rec, spec, 0);
  const ownership = await ownershipOf(deps, observation);
  const planned = decide(deps, observation, ownership);
  if (observation.view.deleting) return removeCluster(deps, observation, ownership);
  const [foreign] = ownership.blocking;
  if (foreign !== undefined && !ownership.isMade) {
    await report(deps, observation, waitForName(planned, foreign));
    return lookAgain(BLOCKED_MS);
  }
  const acted = await act(deps, observation, planned, ownership);
  const race = acted.failures.find(isRace);
  if (race !== undefined) throw race;
  await report(deps, observation, acted.decision, acted.userModules);
  return acted.failures.length === 0 ? outcomeOf(acted.decision) : outcomeOfFailure(deps, acted);
}

/** Whether the cluster may take the names, accounts and Secrets that it asks for. */
async function ownershipOf(deps: PassDeps, observation: ClusterObservation): Promise<OwnershipVerdict> {
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
  { contexts, writings, missingPods }: PassDeps,
  observation: ClusterObservation,
  { blocking, warnings }: OwnershipVerdict,
  unkept: readonly Finding[] = [],
): ClusterDecision {
  const { environment, rec } = observation;
  const wanted = wantedTemplate(observation);
  const seen = missingPods.viewOf(observation, writings.viewOf(observation));
  const planned = planCluster(seen, wanted, { ...environment, foreign: blocking, unkept });
  const decision = { ...planned, findings: [...planned.findings, ...warnings] };
  contexts.set(keyOf(refOf(rec)), contextOf(observation, decision.suspension));
  return decision;
}

/** Whether a pass would find nothing to do and nothing to report. */
async function stillRests(deps: PassDeps, key: string): Promise<boolean> {
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

interface Acted extends Pick<Kept, "userModules"> {
  /** What was done, or is waited for, with all that users are to know of it. */
  readonly decision: ClusterDecision;
  readonly failures: readonly Error[];
}

/**
 * Keeps what is kept, and does the one act. What cannot be kept before the act lets nothing begin and no pod be replaced; nodes that are out of
 * service come back all the same.
 */
async function act(
  deps: PassDeps,
  observation: ClusterObservation,
  planned: ClusterDecision,
  ownership: OwnershipVerdict,
): Promise<Acted> {
  const facts = { observation, decision: planned, ownership };
  const before = await keepAll(deps, facts, "before the act");
  const unkept = await failureFindings(deps, observation.namespace, before.failures);
  const decision = unkept.length === 0 ? planned : decide(deps, observation, ownership, unkept);
  const failed = await performStep(deps, observation, decision);
  const after = failed.length === 0 ? await keepAll(deps, facts, "after the act") : NOTHING_KEPT;
  const undone = [...failed, ...after.failures];
  const noted = [...(before.findings ?? []), ...(after.findings ?? [])];
  return {
    decision: withFailures(
      { ...decision, findings: [...decision.findings, ...noted] },
      await failureFindings(deps, observation.namespace, undone),
    ),
    failures: [...before.failures, ...undone],
    ...(after.userModules !== undefined && { userModules: after.userModules }),
  };
}

const NOTHING_KEPT: KeptAll = { failures: [] };

/** Does the act of a decision; answers with what failed. */
async function performStep(
  deps: PassDeps,
  observation: ClusterObservation,
  { step }: ClusterDecision,
): Promise<readonly Error[]> {
  if (step.kind !== "act") return [];
  deps.log.info("performing a step", { cluster: observation.view.name, act: step.act, why: step.why });
  try {
    await perform(deps, observation, step.act);
    return [];
  } catch (error) {
    return errorsIn(error);
  }
}

/** What failed is waited for, and is said once. */
function withFailures(decision: ClusterDecision, failures: readonly Finding[]): ClusterDecision {
  const [first] = failures;
  if (first === undefined) return decision;
  const others = decision.findings.filter(({ id }) => !failures.some((one) => one.id === id));
  return { ...decision, step: waitFor(first), findings: [...failures, ...others] };
}

/** What cannot be kept is tried again later each time, but holds up no nodes that come back. */
function outcomeOfFailure({ log }: ClusterDeps, { decision, failures }: Acted): Outcome {
  if (failures.every((one) => isFault(one, faults.forbidden))) return lookAgain(FORBIDDEN_MS);
  if (decision.step.kind === "act") {
    log.warn("a pass could not do all that it has to", { failures });
    return lookAgain(BLOCKED_MS);
  }
  const failure = failures.length === 1 ? failures[0] : undefined;
  const thrown = failure ?? new AggregateError(failures, failures.map(({ message }) => message).join("; "));
  noteReported(thrown);
  throw thrown;
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
