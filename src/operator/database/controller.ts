import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { databaseSpec, type DatabaseSpec } from "../../api/database-spec.ts";
import type { DatabaseStatus } from "../../api/database-status.ts";
import type { Finding } from "../../api/parts.ts";
import { FINALIZERS } from "../../api/kinds.ts";
import type { EventRecorder } from "../../kube/events.ts";
import type { Kube } from "../../kube/kube.ts";
import { changeObject } from "../../kube/records.ts";
import { refOf, refOfKey } from "../../kube/ref.ts";
import type { BdbRecord } from "../../management/records.ts";
import type { ClusterObservation, ObserveDeps } from "../../observe/cluster.ts";
import { Databases } from "../../observe/kinds.ts";
import { planCluster } from "../../planner/cluster/plan.ts";
import { wasRunning } from "../../planner/cluster/state.ts";
import { PERMISSIONS_MISSING } from "../../planner/prerequisites/permissions.ts";
import { planDatabase, type DatabaseDecision } from "../../planner/database/spec-checks.ts";
import { settled, waiting, type Outcome } from "../../reconcile/outcome.ts";
import { holdBack } from "../finalizer.ts";
import { forbiddenFinding } from "../forbidden.ts";
import { attempt } from "./acts.ts";
import { bdbOf, clusterOf, type Redb, type Unready } from "./cluster.ts";
import type { DatabaseFailure } from "./failure.ts";
import { neighboursOf } from "./neighbours.ts";
import { databaseNews } from "./news.ts";
import { removeDatabase } from "./removal.ts";
import { keepAddress, secretNameOf } from "./secret.ts";
import { databaseStatusOf, homeOf } from "./status.ts";

export interface DatabaseDeps extends ObserveDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
}

/** A database at rest is looked at this often, one that changes that often, in milliseconds. */
const REST_MS = 10_000;
const STEP_MS = 500;

/** One pass over a StoreEnterpriseDatabase: observe, decide, act at most once, report. */
export function databaseReconciler(deps: DatabaseDeps): (key: string) => Promise<Outcome> {
  return async (key) => {
    const redb = await deps.kube.get(Databases, refOfKey(key));
    if (redb === undefined) return settled;
    try {
      return await pass(deps, redb);
    } catch (error) {
      const finding = await forbiddenFinding(deps, redb.metadata.namespace ?? "default", error);
      if (finding === undefined) throw error;
      return reportForbidden(deps, redb, finding);
    }
  };
}

async function pass(deps: DatabaseDeps, redb: Redb): Promise<Outcome> {
  const cluster = await clusterOf(deps, redb);
  if (redb.metadata.deletionTimestamp !== undefined) return removeDatabase(deps.kube, redb, cluster);
  if ("reason" in cluster) {
    await report(deps, redb, redb.spec.storeEnterpriseCluster?.name ?? "", { unready: cluster });
    return waiting(STEP_MS * 4, cluster.reason, cluster.message);
  }
  await holdBack(deps.kube, Databases, redb, FINALIZERS.database);
  return reconcile(deps, redb, cluster);
}

/** The cluster's status tells the same, and is where the way out is told. */
async function reportForbidden(deps: DatabaseDeps, redb: Redb, { id, evidence, remedy }: Finding): Promise<Outcome> {
  const reason = id === PERMISSIONS_MISSING ? "PermissionsMissing" : "RequestForbidden";
  const unready = { reason, message: `${evidence}; remedy: ${remedy}` } as const;
  await report(deps, redb, redb.spec.storeEnterpriseCluster?.name ?? redb.status?.cluster ?? "", { unready });
  return waiting(STEP_MS * 2, reason, evidence);
}

async function reconcile(deps: DatabaseDeps, redb: Redb, cluster: ClusterObservation): Promise<Outcome> {
  const bdb = bdbOf(cluster, redb);
  const { suspension } = planCluster(cluster.view, cluster.view.workload?.template ?? "", cluster.around);
  const name = cluster.view.name;
  const unready = unreadiness(cluster);
  if (suspension !== undefined || unready !== undefined) {
    await report(deps, redb, name, { bdb, cluster, suspension, unready });
    const why = suspension ?? unready;
    return waiting(STEP_MS * 2, why?.reason ?? "", why?.message ?? "");
  }
  const spec = readSpec(redb);
  if (typeof spec === "string") {
    await report(deps, redb, name, { bdb, cluster, failure: { reason: "SpecInvalid", message: spec } });
    return settled;
  }
  const decision = decide(redb, spec, bdb, cluster);
  if (decision.act.kind !== "none")
    deps.log.info("performing a step", { database: redb.metadata.name, act: decision.act });
  const failure = await attempt(deps, redb, cluster, decision.act);
  if (bdb !== undefined) await keepAddress(deps.kube, redb, bdb.port);
  await report(deps, redb, name, { bdb, cluster, decision, failure });
  if (failure !== undefined) return waiting(STEP_MS * 4, failure.reason, failure.message);
  const rests = decision.act.kind === "none" && bdb?.status === "active" && decision.findings.length === 0;
  return waiting(rests ? REST_MS : STEP_MS, "Reconciled", bdb?.status ?? "pending");
}

/** Why the cluster cannot be asked for anything yet; undefined when it can. */
function unreadiness({ records, view }: ClusterObservation): Unready | undefined {
  if (!wasRunning(view)) {
    const state = view.remembered.state ?? "PendingCreation";
    const message = `cluster ${view.name} is ${state}; databases are made once it is Running`;
    return { reason: "ClusterNotReady", message };
  }
  return "unreachable" in records ? { reason: "ClusterNotReady", message: records.unreachable } : undefined;
}

function decide(
  redb: Redb,
  spec: DatabaseSpec,
  bdb: BdbRecord | undefined,
  cluster: ClusterObservation,
): DatabaseDecision {
  const drift = redb.status?.conditions?.find(({ type }) => type === "Drifted");
  return planDatabase({
    name: redb.metadata.name,
    spec,
    isEdited: redb.status?.observedGeneration !== redb.metadata.generation,
    wasRefused: drift?.status === "True" && drift.reason === "DowngradeRefused",
    neighbours: neighboursOf(cluster, redb),
    home: homeOf(redb.status ?? {}),
    existing: bdb && {
      uid: bdb.uid,
      isSettled: bdb.status === "active",
      memoryBytes: bdb.memory_size,
      port: bdb.port,
      replication: bdb.replication,
      persistence: bdb.data_persistence,
      evictionPolicy: bdb.eviction_policy,
      storeVersion: bdb.redis_version,
    },
  });
}

interface Known {
  readonly bdb?: BdbRecord | undefined;
  readonly cluster?: ClusterObservation;
  readonly suspension?: ReturnType<typeof planCluster>["suspension"];
  readonly decision?: DatabaseDecision;
  readonly unready?: Unready | undefined;
  readonly failure?: DatabaseFailure | undefined;
}

async function report({ kube, clock, events }: DatabaseDeps, redb: Redb, cluster: string, known: Known): Promise<void> {
  const before = redb.status ?? {};
  const records = known.cluster?.records;
  const status = databaseStatusOf(
    {
      generation: redb.metadata.generation ?? 0,
      before,
      cluster,
      secretName: secretNameOf(redb),
      bdb: known.bdb,
      actions: records === undefined || "unreachable" in records ? [] : records.actions,
      suspension: known.suspension,
      decision: known.decision,
      unready: known.unready,
      failure: known.failure,
    },
    clock.now(),
  );
  const plain: DatabaseStatus = JSON.parse(JSON.stringify(status)); // without members that are undefined
  if (!isDeepStrictEqual(redb.status, plain)) {
    await changeObject(kube, Databases, refOf(redb), (current) => ({ ...current, status: plain }), {
      subresource: "status",
    });
  }
  for (const { type, reason, message } of databaseNews(before, plain)) events.record(redb, type, reason, message);
}

/** The spec with every default filled in; a sentence that names the field when it is not one. */
function readSpec({ spec }: Redb): DatabaseSpec | string {
  const parsed = databaseSpec.safeParse(spec);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  return `spec.${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not acceptable"}`;
}
