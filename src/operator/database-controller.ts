import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../base/clock.ts";
import { isFault, messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { databaseSpec, type DatabaseSpec } from "../api/database-spec.ts";
import type { DatabaseStatus } from "../api/database-status.ts";
import { FINALIZERS, type StoreEnterpriseCluster, type StoreEnterpriseDatabase } from "../api/kinds.ts";
import type { EventRecorder } from "../kube/events.ts";
import type { Kube, Stored } from "../kube/kube.ts";
import { changeObject } from "../kube/records.ts";
import { refOf, refOfKey } from "../kube/ref.ts";
import type { ManagementClient } from "../management/client.ts";
import { faults as managementFaults } from "../management/faults.ts";
import type { BdbRecord } from "../management/records.ts";
import { observeCluster, readClusterSpec, type ClusterObservation, type ObserveDeps } from "../observe/cluster.ts";
import { Clusters, Databases } from "../observe/kinds.ts";
import { planCluster } from "../planner/cluster.ts";
import { wasRunning } from "../planner/cluster-state.ts";
import { planDatabase, type DatabaseAct, type DatabaseDecision } from "../planner/spec-database.ts";
import { settled, waiting, type Outcome } from "../reconcile/outcome.ts";
import { databaseNews } from "./database-news.ts";
import { keepAddress, keepPassword, secretNameOf } from "./database-secret.ts";
import { databaseStatusOf } from "./database-status.ts";

export interface DatabaseDeps extends ObserveDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
}

type Redb = Stored<StoreEnterpriseDatabase>;

/** A database at rest is looked at this often, one that changes that often, in milliseconds. */
const REST_MS = 10_000;
const STEP_MS = 500;

/** One pass over a StoreEnterpriseDatabase: observe, decide, act at most once, report. */
export function databaseReconciler(deps: DatabaseDeps): (key: string) => Promise<Outcome> {
  return async (key) => {
    const redb = await deps.kube.get(Databases, refOfKey(key));
    if (redb === undefined) return settled;
    const cluster = await clusterOf(deps, redb);
    if (redb.metadata.deletionTimestamp !== undefined) return remove(deps, redb, cluster);
    if (typeof cluster === "string") {
      await report(deps, redb, "", { unready: cluster });
      return waiting(STEP_MS * 4, "NoCluster", cluster);
    }
    await keepFinalizer(deps.kube, redb);
    return reconcile(deps, redb, cluster);
  };
}

async function reconcile(deps: DatabaseDeps, redb: Redb, cluster: ClusterObservation): Promise<Outcome> {
  const bdb = bdbOf(cluster, redb);
  const { suspension } = planCluster(cluster.view, cluster.view.workload?.template ?? "");
  const name = cluster.view.name;
  const unready = unreadiness(cluster);
  if (suspension !== undefined || unready !== undefined) {
    await report(deps, redb, name, { bdb, cluster, suspension, unready });
    return waiting(STEP_MS * 2, suspension?.reason ?? "ClusterNotReady", suspension?.message ?? unready ?? "");
  }
  const decision = decide(redb, readSpec(redb), bdb, cluster);
  if (decision.act.kind !== "none")
    deps.log.info("performing a step", { database: redb.metadata.name, act: decision.act });
  const failure = await attempt(deps, redb, cluster, decision.act);
  if (bdb !== undefined) await keepAddress(deps.kube, redb, bdb.port);
  await report(deps, redb, name, { bdb, cluster, decision, failure });
  if (failure !== undefined) return waiting(STEP_MS * 4, "CallFailed", failure);
  const rests = decision.act.kind === "none" && bdb?.status === "active" && decision.findings.length === 0;
  return waiting(rests ? REST_MS : STEP_MS, "Reconciled", bdb?.status ?? "pending");
}

/** Why the cluster cannot be asked for anything yet; undefined when it can. */
function unreadiness({ records, view }: ClusterObservation): string | undefined {
  if ("unreachable" in records) return records.unreachable;
  if (wasRunning(view)) return undefined;
  return `cluster ${view.name} is ${view.remembered.state ?? "PendingCreation"}; databases are made once it is Running`;
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
    release: cluster.view.operator,
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

/** A sentence when the call was refused; what nobody foresees is thrown. */
async function attempt(
  deps: DatabaseDeps,
  redb: Redb,
  { client, view }: ClusterObservation,
  act: DatabaseAct,
): Promise<string | undefined> {
  if (client === undefined) return `the management API of ${view.name} cannot be reached yet`;
  try {
    await perform(deps, redb, client, act);
    return undefined;
  } catch (error) {
    if (isFault(error, managementFaults.conflict)) {
      // another change of it runs, which the node that was asked did not know of yet
      deps.log.debug("the database is busy, trying again", { database: redb.metadata.name, error });
      return undefined;
    }
    const known = Object.values(managementFaults).some((fault) => isFault(error, fault));
    if (!known) throw error;
    return messageOf(error);
  }
}

async function perform(deps: DatabaseDeps, redb: Redb, client: ManagementClient, act: DatabaseAct): Promise<void> {
  switch (act.kind) {
    case "create": {
      const password = await keepPassword(deps.kube, redb);
      const port = act.port === undefined ? {} : { port: act.port };
      const body = {
        name: redb.metadata.name,
        ...act.settings,
        ...port,
        redis_version: act.version,
        authentication_redis_pass: password,
      };
      await client.call("createBdb", { body });
      deps.events.record(redb, "Normal", "DatabaseCreated", `asked for a database at ${act.version}`);
      return;
    }
    case "update":
      await client.call("updateBdb", { params: { uid: act.uid }, body: act.settings });
      return;
    case "upgrade":
      await client.call("upgradeBdb", { params: { uid: act.uid }, body: { store_version: act.to } });
      deps.events.record(redb, "Normal", "DatabaseUpgradeStarted", `from ${act.from} to ${act.to}`);
      return;
    case "none":
      return;
  }
}

interface Known {
  readonly bdb?: BdbRecord | undefined;
  readonly cluster?: ClusterObservation;
  readonly suspension?: ReturnType<typeof planCluster>["suspension"];
  readonly decision?: DatabaseDecision;
  readonly unready?: string | undefined;
  readonly failure?: string | undefined;
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

/** The cluster that the database belongs to; a sentence when there is none. */
async function clusterOf(deps: DatabaseDeps, redb: Redb): Promise<ClusterObservation | string> {
  const namespace = redb.metadata.namespace ?? "default";
  const rec = await findCluster(deps.kube, redb.spec.storeEnterpriseCluster?.name, namespace);
  if (typeof rec === "string") return rec;
  const spec = readClusterSpec(rec);
  return typeof spec === "string"
    ? `the cluster ${rec.metadata.name} is invalid: ${spec}`
    : observeCluster(deps, rec, spec);
}

async function findCluster(
  kube: Kube,
  name: string | undefined,
  namespace: string,
): Promise<Stored<StoreEnterpriseCluster> | string> {
  if (name !== undefined) {
    return (await kube.get(Clusters, { name, namespace })) ?? `there is no cluster "${name}" in namespace ${namespace}`;
  }
  const { items } = await kube.list(Clusters, { namespace });
  const only = items.length === 1 ? items[0] : undefined;
  return only ?? `namespace ${namespace} has ${items.length} clusters; name one in spec.storeEnterpriseCluster.name`;
}

function bdbOf({ records }: ClusterObservation, { metadata }: Redb): BdbRecord | undefined {
  return "unreachable" in records ? undefined : records.bdbs.find(({ name }) => name === metadata.name);
}

function readSpec({ spec }: Redb): DatabaseSpec {
  return databaseSpec.parse(spec);
}

async function remove(deps: DatabaseDeps, redb: Redb, cluster: ClusterObservation | string): Promise<Outcome> {
  if (!(redb.metadata.finalizers ?? []).includes(FINALIZERS.database)) return settled;
  if (typeof cluster !== "string" && cluster.view.workload !== undefined) {
    if ("unreachable" in cluster.records)
      return waiting(STEP_MS * 4, "ClusterUnreachable", cluster.records.unreachable);
    const bdb = bdbOf(cluster, redb);
    if (bdb !== undefined) {
      if (bdb.status !== "delete-pending") await cluster.client?.call("deleteBdb", { params: { uid: bdb.uid } });
      await report(deps, redb, cluster.view.name, { bdb, cluster });
      return waiting(STEP_MS, "Deleting", `the cluster removes database ${bdb.uid}`);
    }
  }
  await changeObject(deps.kube, Databases, refOf(redb), (current) => ({
    ...current,
    metadata: {
      ...current.metadata,
      finalizers: (current.metadata.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZERS.database),
    },
  }));
  return settled;
}

async function keepFinalizer(kube: Kube, redb: Redb): Promise<void> {
  const finalizers = redb.metadata.finalizers ?? [];
  if (finalizers.includes(FINALIZERS.database)) return;
  const { resourceVersion } = redb.metadata;
  const body = { metadata: { resourceVersion, finalizers: [...finalizers, FINALIZERS.database] } };
  await kube.patch(Databases, refOf(redb), { type: "merge", body });
}
