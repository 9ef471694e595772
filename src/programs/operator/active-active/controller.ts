import { homeOf } from "../../../core/api/database-home.ts";
import type { Clock } from "#kit/base/clock";
import { isFault, messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { FINALIZERS } from "../../../core/api/kinds.ts";
import { clusterNames } from "../../../core/api/names.ts";
import type { EventRecorder } from "#kit/kube/events";
import { faults as kubeFaults } from "#kit/kube/faults";
import type { Kube, Ref } from "#kit/kube/kube";
import { keyOf, refOf, refOfKey } from "#kit/kube/ref";
import { isSame } from "#kit/kube/same";
import { ActiveActiveDatabases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import type { SiteState } from "../../../mechanisms/observe/sites/sites.ts";
import { liveRecord } from "../../../core/planner/active-active/record.ts";
import { decideActiveActive } from "../../../core/planner/active-active/decide.ts";
import { AT_REST, lookAgain, type Outcome } from "#kit/reconcile/outcome";
import { failureOf } from "../database/failure.ts";
import type { FindingLog } from "../objects/finding-log.ts";
import { reportFailedPass } from "../objects/failed-condition.ts";
import { withFailuresReported } from "../objects/pass-failure.ts";
import { addFinalizer, removeFinalizer } from "../objects/finalizer.ts";
import { hasRecord } from "../objects/has-record.ts";
import { block, isPause, pause } from "../../../core/planner/findings/finding.ts";
import { editObject } from "../../../core/api/kubectl.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { ClusterContext } from "../context/cluster-context.ts";
import { readRemote, type Rerc } from "../remote-cluster/participant.ts";
import { SITE_MS } from "../remote-cluster/controller.ts";
import { objectsIn } from "../remote-cluster/objects.ts";
import { performActiveActive } from "./acts.ts";
import { activeActiveEvents } from "./events.ts";
import { observeLink, replicationAt } from "./replication.ts";
import { activeActiveStatusOf, type ActiveActiveReport } from "./status.ts";
import {
  observeActiveActive,
  linkedDatabase,
  ownRemote,
  readActiveActiveSpec,
  type ActiveActiveObservation,
  type ObserveActiveActiveDeps,
  type Reaadb,
} from "./view.ts";

export interface ActiveActiveDeps extends ObserveActiveActiveDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly findings: FindingLog;
}

/** The next step is looked for after this long, in milliseconds. */
const STEP_MS = 200;

/**
 * One pass over a StoreEnterpriseActiveActiveDatabase on this participant: observe, decide, do one act at most, report. The
 * key may be of one that only other participants have.
 */
export function activeActiveReconciler(deps: ActiveActiveDeps): (key: string) => Promise<Outcome> {
  const reconcile = async (key: string): Promise<Outcome> => {
    const { name, namespace = "default" } = refOfKey(key);
    const place = { name, namespace };
    const reaadb = deps.cache.activeActives.get(place);
    const home = homeOf(linkedDatabase(deps, reaadb, place)?.status ?? {});
    const self = ownRemote(deps, reaadb, namespace, home);
    const cluster = home ?? self?.spec.recName ?? clusterNameOf(deps, reaadb, namespace);
    const context = deps.contexts.of(keyOf({ name: cluster, namespace }));
    if (reaadb === undefined) deps.findings.report("activeActive", place, []);
    const isKnown = deps.cache.clusters.get({ name: cluster, namespace }) !== undefined;
    if (isKnown && context === undefined) return AT_REST; // it is woken once its cluster has been looked at
    const isTerminating = reaadb?.metadata.deletionTimestamp !== undefined;
    if (isTerminating && context?.hasNodes !== true && !(await mayBeRecorded(deps, reaadb, cluster))) {
      await removeFinalizer(deps.kube, ActiveActiveDatabases, reaadb, FINALIZERS.activeActive);
      return AT_REST;
    }
    const hindrance = hindranceOf(context, cluster, place);
    if (hindrance !== undefined) return reportHindrance(deps, { reaadb, self, context }, hindrance);
    return pass(deps, { place, reaadb, self, cluster, context });
  };
  return withFailuresReported(
    reconcile,
    reportFailedPass(deps, ActiveActiveDatabases, deps.cache.activeActives),
    deps.log,
  );
}

interface Pass {
  readonly place: Required<Ref>;
  readonly reaadb: Reaadb | undefined;
  readonly self: Rerc | undefined;
  readonly cluster: string;
  readonly context: ClusterContext | undefined;
}

async function pass(deps: ActiveActiveDeps, begun: Pass): Promise<Outcome> {
  const { place, reaadb: found, self, cluster, context } = begun;
  const client = context?.connection?.client;
  if (client === undefined) return reportHindrance(deps, begun, NOT_YET);
  const own = await deps.sites.own(ownRemoteOf(self, place, cluster), client, SITE_MS / 2);
  if ("reason" in own) return reportHindrance(deps, begun, pause("ClusterNotReady", own.message));
  const spec = found && readActiveActiveSpec(found);
  if (typeof spec === "string")
    return reportHindrance(deps, begun, block("SpecInvalid", spec, editObject(`reaadb ${place.name}`)));
  const reaadb = found && (await withFinalizer(deps.kube, found));
  const link = await observeLink(client, liveRecord(own.crdbs, place.name)?.guid ?? reaadb?.status?.guid);
  const beginning = { key: place, reaadb, spec, self, cluster, own, link };
  const observation = await observeActiveActive(deps, beginning, SITE_MS / 2);
  const decision = decideActiveActive(observation.view);
  const scene = { key: place, reaadb, database: observation.database, cluster, client };
  const { step } = decision;
  const act = step.kind === "act" ? step.act : undefined;
  const failure = act && (await attempt(place, () => performActiveActive(deps, scene, act)));
  if (step.kind === "act") {
    deps.sites.wrote(client);
    deps.log.info("performing a step", { activeActive: place.name, why: step.why, failure });
  }
  const isGone = act?.kind === "release-object" || reaadb === undefined;
  // an object that was written is looked at anew
  const isWritten = ["write-object", "remember", "delete-object"].includes(act?.kind ?? "") && failure === undefined;
  if (!isGone && !isWritten) {
    const site = { link, self: self?.metadata.name, nodes: own.nodes, record: decision.record };
    const replication = replicationAt(reaadb, site);
    await report(deps, { ...reportedOf(observation, reaadb), decision, hindrance: failure, replication });
  }
  if (failure !== undefined) return lookAgain(SITE_MS);
  if (step.kind === "act") return lookAgain(STEP_MS);
  return isGone ? AT_REST : lookAgain(SITE_MS);
}

const NOT_YET = pause("ClusterNotReady", "the cluster cannot be asked yet");

/** Why nothing can be done for databases of the cluster; undefined when something can. */
function hindranceOf(context: ClusterContext | undefined, cluster: string, { name }: Ref): Finding | undefined {
  if (context === undefined) {
    const remedy = `make the cluster, or name one that is there: ${editObject(`reaadb ${name}`)}`;
    const evidence = cluster === "" ? NOT_NAMED : `the namespace has no cluster "${cluster}"`;
    return block("ClusterNotFound", evidence, remedy);
  }
  const { suspension, unready } = context;
  if (suspension === undefined) return unready;
  return pause("ReconcileSuspended", `edits wait until the cluster is upgraded: ${suspension.evidence}`);
}

const NOT_NAMED = "spec.storeEnterpriseCluster.name is not set, and the namespace does not have just one cluster";

async function reportHindrance(
  deps: ActiveActiveDeps,
  { reaadb, self, context }: Pick<Pass, "reaadb" | "self" | "context">,
  hindrance: Finding,
): Promise<Outcome> {
  if (reaadb !== undefined) {
    const client = context?.connection?.client;
    const site = { self: self?.metadata.name, nodes: undefined, record: undefined };
    const link = client && (await observeLink(client, reaadb.status?.guid));
    const replication = client && replicationAt(reaadb, { link, ...site });
    const found = deps.cache.databases.get({ name: reaadb.metadata.name, namespace: reaadb.metadata.namespace ?? "" });
    await report(deps, { reaadb, database: found, polled: NO_SITES, decision: undefined, hindrance, replication });
  }
  return lookAgain(SITE_MS);
}

const NO_SITES: ReadonlyMap<string, SiteState> = new Map();

/** Adds the finalizer; an object that is being deleted gets none any more. */
async function withFinalizer(kube: Kube, reaadb: Reaadb): Promise<Reaadb> {
  return reaadb.metadata.deletionTimestamp === undefined
    ? addFinalizer(kube, ActiveActiveDatabases, reaadb, FINALIZERS.activeActive)
    : reaadb;
}

async function attempt({ name }: Ref, act: () => Promise<void>): Promise<Finding | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (isFault(error, kubeFaults.invalid)) return pause("ConfigurationRefused", messageOf(error));
    const failure = failureOf(error, `reaadb ${name}`);
    if (failure === undefined) throw error;
    return failure;
  }
}

function reportedOf({ database, polled }: ActiveActiveObservation, reaadb: Reaadb) {
  return { reaadb, database, polled };
}

/** Emits events for what is new, and writes the status when it differs. */
async function report(deps: ActiveActiveDeps, reported: ActiveActiveReport): Promise<void> {
  const { kube, clock, events, cache } = deps;
  const { reaadb, decision, hindrance } = reported;
  const hindering = hindrance === undefined || isPause(hindrance) ? [] : [hindrance];
  const findings = [...(decision?.findings ?? []), ...hindering];
  if (decision !== undefined || findings.length > 0) deps.findings.report("activeActive", refOf(reaadb), findings);
  const before = reaadb.status ?? {};
  const status = activeActiveStatusOf(reported, clock.now());
  if (isSame(before, status)) return;
  const current = cache.activeActives.get({
    name: reaadb.metadata.name,
    namespace: reaadb.metadata.namespace ?? "default",
  });
  if (current === undefined) return; // it went meanwhile
  const write = () => kube.update(ActiveActiveDatabases, { ...reaadb, status }, { subresource: "status" });
  cache.activeActives.learn(await events.recordAhead(reaadb, activeActiveEvents(before, status), write));
}

/**
 * The participants know of it, and which cluster of the namespace has their record cannot be known; or the one that has it is without
 * nodes for now, and is to have some again.
 */
async function mayBeRecorded(deps: ActiveActiveDeps, reaadb: Reaadb, cluster: string): Promise<boolean> {
  const { cache } = deps;
  const { namespace = "default" } = reaadb.metadata;
  if (reaadb.status?.guid === undefined) return false;
  const known = cache.clusters.get({ name: cluster, namespace });
  if (known === undefined) return objectsIn(cache, namespace).clusters.length > 0;
  if (known.metadata.deletionTimestamp !== undefined) return false;
  return hasRecord(deps, { name: clusterNames.clusterRecord(cluster), namespace });
}

/** The cluster that is named, or the only one of the namespace. */
function clusterNameOf({ cache }: ActiveActiveDeps, reaadb: Reaadb | undefined, namespace: string): string {
  const spec: Partial<Reaadb["spec"]> = reaadb?.spec ?? {};
  const named = spec.storeEnterpriseCluster ?? spec.globalConfigurations?.storeEnterpriseCluster;
  const [only, ...more] = objectsIn(cache, namespace).clusters;
  return named?.name ?? (more.length === 0 ? (only?.metadata.name ?? "") : "");
}

/** Only names what is said when the own cluster does not answer. */
function ownRemoteOf(self: Rerc | undefined, { namespace }: Required<Ref>, cluster: string) {
  const remote = self && readRemote(self);
  if (remote !== undefined && typeof remote !== "string") return remote;
  return { name: cluster, namespace, spec: { recName: cluster, recNamespace: namespace, apiFqdnUrl: cluster } };
}
