import type { StoreEnterpriseCluster } from "../../../core/api/kinds.ts";
import type { ClusterSpec } from "../../../core/api/cluster-spec.ts";
import type { Stored } from "#kit/kube/kube";
import { refOfKey } from "#kit/kube/ref";
import { isSame } from "#kit/kube/same";
import { observeCluster, readClusterSpec } from "../../../mechanisms/observe/cluster.ts";
import { cachedReads, liveReads } from "../../../mechanisms/observe/kubernetes/cluster-reads.ts";
import { Clusters } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { AT_REST, lookAgain, type Outcome } from "#kit/reconcile/outcome";
import { reportFailedPass } from "../objects/failed-condition.ts";
import { withFailuresReported } from "../objects/pass-failure.ts";
import { forbiddenContext, invalidContext } from "../context/cluster-context.ts";
import { forbiddenFinding } from "../context/forbidden.ts";
import { isRace } from "./failures.ts";
import { isAllKept, keptVersions } from "./keepers.ts";
import { removeCluster } from "./removal.ts";
import { report, reportForbidden, reportUnreadable } from "./report.ts";
import { nextStatus } from "./status.ts";
import { MissingPods } from "./missing-pods.ts";
import type { ClusterDeps, ClusterPassDeps } from "./deps.ts";
import { decide, ownershipOf, waitForName } from "./decide.ts";
import { actOn } from "./act-on.ts";
import { BLOCKED_MS, FORBIDDEN_MS, outcomeOf, outcomeOfFailure, resting } from "./pass-outcome.ts";

/** How often facts that the operator does not watch are read again while the cluster rests. */
const READ_MS = 30_000;

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

async function observeOrReport(deps: ClusterPassDeps, key: string): Promise<Outcome> {
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

async function pass(deps: ClusterPassDeps, rec: Stored<StoreEnterpriseCluster>, spec: ClusterSpec): Promise<Outcome> {
  const observation = await observeCluster(deps, liveReads(deps.kube), rec, spec, 0);
  const ownership = await ownershipOf(deps, observation);
  const planned = decide(deps, observation, ownership);
  if (observation.view.deleting) return removeCluster(deps, observation, ownership);
  const [foreign] = ownership.blocking;
  if (foreign !== undefined && !ownership.isMade) {
    await report(deps, observation, waitForName(planned, foreign));
    return lookAgain(BLOCKED_MS);
  }
  const acted = await actOn(deps, observation, planned, ownership);
  const race = acted.failures.find(isRace);
  if (race !== undefined) throw race;
  await report(deps, observation, acted.decision, acted.userModules);
  return acted.failures.length === 0 ? outcomeOf(acted.decision) : outcomeOfFailure(deps, acted);
}

/** Whether a pass would find nothing to do and nothing to report. */
async function stillRests(deps: ClusterPassDeps, key: string): Promise<boolean> {
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
