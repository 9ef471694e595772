import { FINALIZERS } from "../../../core/api/kinds.ts";
import { deploymentLog } from "../../../core/api/kubectl.ts";
import { OPERATOR_NAME } from "../../../core/api/names.ts";
import { keyOf, refOfKey } from "#kit/kube/ref";
import { Databases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { wait } from "../../../core/planner/findings/finding.ts";
import { AT_REST, lookAgain, sooner, type Outcome } from "#kit/reconcile/outcome";
import { withFailuresReported } from "../objects/pass-failure.ts";
import { addFinalizer } from "../objects/finalizer.ts";
import { forbiddenFinding } from "../context/forbidden.ts";
import { clusterOf, freshContexts, type Redb } from "./cluster.ts";
import { removeDatabase } from "./removal.ts";
import { scheduleKeeper, type KeptSchedule } from "./asked-schedule.ts";
import { addressReconciler } from "./secret-address.ts";
import type { DatabaseDeps, DatabasePassDeps } from "./deps.ts";
import { AGAIN_MS, STEP_MS, untilLostMs } from "./pauses.ts";
import { reportUnready } from "./report.ts";
import { followDecision } from "./follow-decision.ts";
import { observeDatabase } from "./observe.ts";

/** One pass over a StoreEnterpriseDatabase: observe, decide, do one act at most, report. */
export function databaseReconciler(deps: DatabaseDeps): (key: string) => Promise<Outcome> {
  const freshContext = freshContexts(deps);
  const keepAddress = addressReconciler(deps);
  const all = { ...deps, freshContext, keepAddress, keepSchedule: scheduleKeeper(deps) };
  return withFailuresReported((key) => observeOrReport(all, key), failureReport(deps), deps.log);
}

async function observeOrReport(deps: DatabasePassDeps, key: string): Promise<Outcome> {
  const redb = deps.cache.databases.get(refOfKey(key));
  if (redb === undefined) {
    deps.findings.report("database", refOfKey(key), []);
    return AT_REST;
  }
  try {
    return await pass(deps, redb);
  } catch (error) {
    const finding = await forbiddenFinding(deps, redb.metadata.namespace ?? "default", error);
    if (finding === undefined) throw error;
    await reportUnready(deps, redb, finding);
    return lookAgain(STEP_MS * 2);
  }
}

/** What the operator cannot do, and tries again, is a finding like what the cluster refuses. */
function failureReport(deps: DatabaseDeps): (key: string, message: string) => Promise<void> {
  return async (key, message) => {
    const redb = deps.cache.databases.get(refOfKey(key));
    const remedy = `read the log of the operator, which tries again: ${deploymentLog(OPERATOR_NAME)}`;
    if (redb !== undefined) await reportUnready(deps, redb, wait("PassFailed", message, remedy));
  };
}

async function pass(deps: DatabasePassDeps, redb: Redb): Promise<Outcome> {
  if (redb.metadata.deletionTimestamp !== undefined) return removeDatabase(deps, redb);
  const { findings, isToRetry } = await deps.keepSchedule(redb);
  const outcome = await manage(deps, redb, findings);
  return isToRetry ? sooner(outcome, lookAgain(AGAIN_MS.last)) : outcome;
}

async function manage(deps: DatabasePassDeps, redb: Redb, ofSchedule: KeptSchedule["findings"]): Promise<Outcome> {
  const cluster = clusterOf(deps.cache, redb);
  if ("id" in cluster) {
    const status = await reportUnready(deps, redb, cluster, ofSchedule);
    return lookAgain(untilLostMs(status));
  }
  const context = deps.contexts.of(keyOf(cluster));
  if (context === undefined) return AT_REST; // it is woken once its cluster has been looked at
  const held = await addFinalizer(deps.kube, Databases, redb, FINALIZERS.database);
  const evaluated = await observeDatabase(deps, held, cluster, context);
  return followDecision(deps, held, cluster.name, { ...evaluated, ofSchedule });
}
