import { FINALIZERS } from "../../../core/api/kinds.ts";
import { describeObject, mergeObject } from "../../../core/api/kubectl.ts";
import { clusterNames } from "../../../core/api/names.ts";
import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import type { Clock } from "#kit/base/clock";
import type { Kube } from "#kit/kube/kube";
import { isSame } from "#kit/kube/same";
import type { ClusterRef } from "../../../mechanisms/observe/kubernetes/cluster-reads.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import { Databases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { readiness } from "../../../core/planner/findings/readiness.ts";
import { AT_REST, lookAgain, type Outcome } from "#kit/reconcile/outcome";
import { removeFinalizer } from "../objects/finalizer.ts";
import { hasRecord, hasRecordNamed } from "../objects/has-record.ts";
import { withStatements } from "../objects/conditions.ts";
import type { ClusterContext } from "../context/cluster-context.ts";
import { holdersOf, type Redb } from "./cluster.ts";
import { ownDatabase } from "./identity.ts";

export interface DatabaseRemovalDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly cache: InformerCache;
  readonly freshContext: (cluster: ClusterRef) => Promise<ClusterContext>;
}

const LOOK_AGAIN_MS = 500;

/**
 * Removes the finalizer of a StoreEnterpriseDatabase once no cluster has the database any more that may have it. A cluster that
 * cannot be asked may have it: the object stays then, and says why.
 */
export async function removeDatabase(deps: DatabaseRemovalDeps, redb: Redb): Promise<Outcome> {
  if (!(redb.metadata.finalizers ?? []).includes(FINALIZERS.database)) return AT_REST;
  for (const cluster of holdersOf(deps.cache, redb)) {
    const left = await removeFrom(deps, cluster.name, await deps.freshContext(cluster), redb);
    if (left === undefined) continue;
    await reportWaiting(deps, redb, left);
    return lookAgain(LOOK_AGAIN_MS);
  }
  await removeFinalizer(deps.kube, Databases, redb, FINALIZERS.database);
  return AT_REST;
}

/** What is waited for; undefined when the cluster does not have the database any more. */
async function removeFrom(
  deps: DatabaseRemovalDeps,
  name: string,
  { hasNodes, connection, unready }: ClusterContext,
  redb: Redb,
): Promise<string | undefined> {
  if (!hasNodes) return (await isRecorded(deps, name, redb)) ? unreachableText(name, NO_NODES, redb) : undefined;
  if (connection === undefined) return unreachableText(name, unready?.evidence ?? "it cannot be asked yet", redb);
  const polled = await connection.records(LOOK_AGAIN_MS / 2);
  if ("unreachable" in polled) return unreachableText(name, polled.unreachable, redb);
  const own = await ownDatabase(deps, name, polled, redb);
  if (own.unready !== undefined) return unreachableText(name, own.unready.evidence, redb);
  const { bdb } = own;
  if (bdb === undefined) return undefined;
  if (bdb.status !== "delete-pending") {
    await connection.client.call("deleteBdb", { params: { uid: bdb.uid } });
    connection.recordWrite({ ...bdb, status: "delete-pending" });
  }
  return `the cluster ${name} removes database ${bdb.uid}`;
}

/** A cluster without nodes that is to have some again brings back what its records and volumes hold; one that goes takes them along. */
async function isRecorded(
  deps: Pick<DatabaseRemovalDeps, "kube" | "cache">,
  cluster: string,
  { metadata, status }: Redb,
): Promise<boolean> {
  const { namespace = "default" } = metadata;
  const rec = deps.cache.clusters.get({ name: cluster, namespace });
  if (rec === undefined || rec.metadata.deletionTimestamp !== undefined) return false;
  // what came of the request to make it was never known
  if (status?.databaseUID === undefined)
    return status?.creating === true && hasRecordNamed(deps, cluster, { name: metadata.name, namespace });
  return hasRecord(deps, { name: clusterNames.databaseRecord(cluster, Number(status.databaseUID)), namespace });
}

const NO_NODES = "it has no nodes now, and has a record of the database";

function unreachableText(cluster: string, evidence: string, redb: Redb): string {
  return `the cluster ${cluster} cannot be asked: ${evidence}; bring its nodes back (${describeObject(`rec ${cluster}`)}); ${toGiveUp(redb)}`;
}

function toGiveUp({ metadata }: Redb): string {
  return `or leave the database where it may be, and remove the object alone: ${mergeObject("redb", metadata.name, { metadata: { finalizers: null } })}`;
}

async function reportWaiting({ kube, clock, cache }: DatabaseRemovalDeps, redb: Redb, left: string): Promise<void> {
  const before = redb.status ?? {};
  const message = `is being deleted since ${redb.metadata.deletionTimestamp ?? ""}: ${left}`;
  const ready = readiness(
    { type: "Ready", status: "False", reason: "Deleting", message },
    { isMoving: true, findings: [] },
  );
  const status: DatabaseStatus = {
    ...before,
    status: "delete-pending",
    conditions: withStatements(before.conditions, ready, clock.now()),
  };
  if (isSame(before, status)) return;
  cache.databases.learn(await kube.update(Databases, { ...redb, status }, { subresource: "status" }));
}
