import { clusterNameFor } from "../../../core/api/database-home.ts";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import { FINALIZERS } from "../../../core/api/kinds.ts";
import { deploymentLog } from "../../../core/api/kubectl.ts";
import { OPERATOR_NAME } from "../../../core/api/names.ts";
import type { EventRecorder } from "#kit/kube/events";
import type { Kube } from "#kit/kube/kube";
import { isTrue } from "#kit/kube/conditions";
import { keyOf, refOf, refOfKey } from "#kit/kube/ref";
import { isSame } from "#kit/kube/same";
import type { ClusterRef, ObserveDeps } from "../../../mechanisms/observe/cluster.ts";
import type { ClusterRecords } from "../../../mechanisms/observe/management/cluster-records.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { Databases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import type { BdbRecord } from "../../../ports/management/records.ts";
import { wait } from "../../../core/planner/findings/finding.ts";
import type { DatabaseDecision } from "../../../core/planner/database/plan.ts";
import { AT_REST, lookAgain, type Outcome } from "#kit/reconcile/outcome";
import { authorityDigest } from "../objects/authority.ts";
import { withFailuresReported } from "../objects/pass-failure.ts";
import { addFinalizer } from "../objects/finalizer.ts";
import type { FindingLog } from "../objects/finding-log.ts";
import type { GivenDeps } from "../secrets/given.ts";
import type { ClusterContext, ClusterContexts, Unready } from "../context/cluster-context.ts";
import { forbiddenFinding } from "../context/forbidden.ts";
import { attempt } from "./acts.ts";
import { clusterOf, freshContexts, type Redb } from "./cluster.ts";
import { evaluateDatabase, type DatabaseEvaluation } from "./evaluation.ts";
import { databaseEvents } from "./events.ts";
import { keepMark, ownDatabase } from "./identity.ts";
import { FAILOVER_MS } from "./lost-answer.ts";
import { hasService, publishAddress, SERVICE_MS } from "./published-address.ts";
import { removeDatabase } from "./removal.ts";
import { observeCertificate } from "./certificate.ts";
import { restoreSecret } from "./restored-secret.ts";
import { passwordState } from "./secret.ts";
import { addressReconciler, type AddressReconciler } from "./secret-address.ts";
import { observeSecret, secretNameOf } from "./secret-verdict.ts";
import { siteOfDatabase } from "./site.ts";
import { setAsideCopies } from "./set-aside.ts";
import { databaseStatusOf } from "./status.ts";

export interface DatabaseDeps extends ObserveDeps, GivenDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly cache: InformerCache;
  readonly contexts: ClusterContexts;
  readonly findings: FindingLog;
}

/** How often a database that changes is looked at, in milliseconds. */
const STEP_MS = 500;
/** How often a database at rest is looked at, in case an event was missed: any change wakes it. */
const REST_MS = 30 * 60_000;
/** What the cluster refused is asked for again after as long as it has been refused, within these bounds. */
const AGAIN_MS = { first: 2_000, last: 15_000 } as const;

/**
 * One pass over a StoreEnterpriseDatabase: observe, decide, do one act at most, report. The informer cache and the last answers of the cluster
 * show whether there is something to do; the decision what to do reads the objects anew.
 */
export function databaseReconciler(deps: DatabaseDeps): (key: string) => Promise<Outcome> {
  const freshContext = freshContexts(deps);
  const keepAddress = addressReconciler(deps);
  const all = { ...deps, freshContext, keepAddress };
  return withFailuresReported((key) => observeOrReport(all, key), failureReport(deps), deps.log);
}

async function observeOrReport(deps: PassDeps, key: string): Promise<Outcome> {
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

interface PassDeps extends DatabaseDeps {
  readonly freshContext: (cluster: ClusterRef) => Promise<ClusterContext>;
  readonly keepAddress: AddressReconciler;
}

async function pass(deps: PassDeps, redb: Redb): Promise<Outcome> {
  if (redb.metadata.deletionTimestamp !== undefined) return removeDatabase(deps, redb);
  const cluster = clusterOf(deps.cache, redb);
  if ("id" in cluster) {
    const status = await reportUnready(deps, redb, cluster);
    return lookAgain(untilLostMs(status));
  }
  const context = deps.contexts.of(keyOf(cluster));
  if (context === undefined) return AT_REST; // it is woken once its cluster has been looked at
  const held = await addFinalizer(deps.kube, Databases, redb, FINALIZERS.database);
  const objects = {
    site: siteOfDatabase(deps.cache, held),
    secret: await observeSecret(deps, deps.cache.secrets, held),
    own: (records: ClusterRecords) => ownDatabase(deps, cluster.name, records, held),
    certificate: (bdb: BdbRecord | undefined) => observeCertificate(deps, held, cluster.name, bdb),
  };
  let state = passwordState(deps.cache.secrets, held);
  const evaluate = (within: ClusterContext, maxAgeMs: number): Promise<DatabaseEvaluation> =>
    evaluateDatabase(held, within, deps.release, { ...objects, state }, maxAgeMs);
  let seen = await evaluate(context, isQuiet(held) ? Infinity : STEP_MS);
  if (seen.bdb !== undefined) {
    await keepMark(deps, cluster.name, held, seen.bdb, false);
    const isKept =
      state !== "lost" || (await restoreSecret(deps.kube, cluster.name, held, seen.bdb, objects.certificate));
    if (!isKept) state = "missing";
    if (!isKept) seen = await evaluate(context, Infinity);
  }
  const evaluated = isToAct(seen) ? await evaluate(await deps.freshContext(cluster), STEP_MS) : seen;
  return follow(deps, held, cluster.name, evaluated);
}

async function reportUnready(deps: DatabaseDeps, redb: Redb, unready: Unready): Promise<DatabaseStatus> {
  const cluster = clusterNameFor(redb, []) ?? redb.status?.cluster ?? "";
  return report(deps, redb, cluster, { polled: { unreachable: unready.evidence }, unready });
}

/** Says of itself that nothing is left to be done. */
function isQuiet({ metadata, status }: Redb): boolean {
  return (
    status?.status === "active" &&
    status.observedGeneration === metadata.generation &&
    isTrue(status.conditions, "Ready")
  );
}

function isToAct({ decision }: DatabaseEvaluation): boolean {
  return decision?.step.kind === "act";
}

async function follow(deps: PassDeps, seen: Redb, cluster: string, evaluated: DatabaseEvaluation): Promise<Outcome> {
  const { decision, connection, authority } = evaluated;
  if (decision === undefined) {
    const status = await report(deps, seen, cluster, evaluated);
    const { suspension } = evaluated;
    const restMs = isTrue(status.conditions, "Available") ? untilLostMs(status) : AGAIN_MS.first;
    if (suspension !== undefined) return lookAgain(restMs);
    const isAnswered = evaluated.unready !== undefined && !("unreachable" in evaluated.polled);
    return lookAgain(isAnswered ? AGAIN_MS.last : untilLostMs(status));
  }
  const act = decision.step.kind === "act" ? decision.step.act : undefined;
  if (act !== undefined) deps.log.info("performing a step", { database: seen.metadata.name, act });
  let redb = seen;
  const creation = {
    mayBeMade: seen.status?.creating === true,
    noteCreation: async () => void (redb = await noteCreation(deps, seen, cluster)),
  };
  const attempted = act === undefined ? {} : await attempt({ ...deps, cluster, ...creation }, seen, connection, act);
  if (attempted.bdb !== undefined && evaluated.bdb === undefined)
    await keepMark(deps, cluster, redb, attempted.bdb, true);
  const bdb = attempted.bdb ?? evaluated.bdb;
  const given = attempted.passwordFrom ?? redb.status?.passwordFrom;
  const { passwordFrom, warning } =
    bdb === undefined
      ? { passwordFrom: given }
      : await publishAddress(deps.keepAddress, redb, { port: bdb.port, authority }, given);
  const { failure } = attempted;
  const warnings = warning === undefined ? decision.warnings : [...decision.warnings, warning];
  const reported = { ...evaluated, decision: { ...decision, warnings }, bdb, failure, passwordFrom };
  const status = await report(deps, redb, cluster, reported);
  if (failure !== undefined) return lookAgain(refusedForMs(status, deps.clock));
  const isFound = hasService(deps.cache.services, refOf(redb), cluster);
  return lookAgain(pauseMs(decision, status, isFound));
}

/** Before the cluster is asked: an operator that starts again knows by it that the database is of this object, and in which cluster. */
async function noteCreation({ kube, cache }: DatabaseDeps, redb: Redb, cluster: string): Promise<Redb> {
  if (redb.status?.creating === true && redb.status.cluster === cluster) return redb;
  const status = { ...redb.status, status: redb.status?.status ?? ("pending" as const), cluster, creating: true };
  const stored = await kube.update(Databases, { ...redb, status }, { subresource: "status" });
  cache.databases.learn(stored);
  return stored;
}

function pauseMs({ step, findings, drift }: DatabaseDecision, status: DatabaseStatus, isFound: boolean): number {
  if (step.kind === "act") return STEP_MS;
  if (findings.length > 0 || drift?.id === "DowngradeRefused") return AGAIN_MS.last; // what is around it may be the reason, and change
  if (status.status !== "active" || !isTrue(status.conditions, "Ready")) return STEP_MS;
  return isFound ? REST_MS : SERVICE_MS; // until clients find it by its name
}

/** The last answer of a cluster that does not answer counts no longer after a while; later it is woken by what changes. */
function untilLostMs({ unansweredSince, status }: DatabaseStatus): number {
  return unansweredSince === undefined || status === "unknown" ? REST_MS : FAILOVER_MS;
}

/** Doubles the pause each time without state of its own: the condition says since when. */
function refusedForMs({ conditions }: DatabaseStatus, clock: Clock): number {
  const since = conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime ?? "";
  const pastMs = clock.now().getTime() - Date.parse(since);
  return Math.min(AGAIN_MS.last, Math.max(AGAIN_MS.first, pastMs || 0));
}

/** Emits events for what is new, and writes the status when it differs; the answer is the status that holds then. */
async function report(
  { kube, clock, events, cache, findings }: DatabaseDeps,
  redb: Redb,
  cluster: string,
  evaluated: DatabaseEvaluation & Pick<DatabaseStatus, "passwordFrom">,
): Promise<DatabaseStatus> {
  const before = redb.status ?? {};
  const { polled, bdb, suspension, decision, unready, failure } = evaluated;
  const status = databaseStatusOf(
    {
      generation: redb.metadata.generation ?? 0,
      before,
      cluster,
      secretName: secretNameOf(redb),
      passwordFrom: evaluated.passwordFrom ?? before.passwordFrom,
      authorityDigest:
        evaluated.authority === undefined ? before.authorityDigest : authorityDigest(evaluated.authority),
      bdb,
      hasService: hasService(cache.services, refOf(redb), cluster),
      ...answerAbout(bdb, polled),
      suspension,
      decision,
      unready,
      failure,
    },
    clock.now(),
  );
  if (!isSame(before, status)) {
    const write = () => kube.update(Databases, { ...redb, status }, { subresource: "status" });
    cache.databases.learn(await events.recordAhead(redb, databaseEvents(before, status), write));
  }
  findings.report("database", refOf(redb), status.findings ?? [], before.findings ?? []);
  return status;
}

/** What the cluster has answered about a database. */
function answerAbout(bdb: BdbRecord | undefined, polled: DatabaseEvaluation["polled"]) {
  if ("unreachable" in polled) return { isPolled: false, shards: [], actions: [] };
  const { shards, actions, nodes } = polled;
  return { isPolled: true, shards, actions, copies: bdb === undefined ? [] : setAsideCopies(nodes, bdb.uid) };
}
