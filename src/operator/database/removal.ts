import { FINALIZERS } from "../../api/kinds.ts";
import type { Kube } from "../../kube/kube.ts";
import type { ClusterObservation } from "../../observe/cluster.ts";
import { Databases } from "../../observe/kinds.ts";
import { settled, waiting, type Outcome } from "../../reconcile/outcome.ts";
import { letGo } from "../finalizer.ts";
import { bdbOf, type Redb, type Unready } from "./cluster.ts";

const LOOK_AGAIN_MS = 500;

/** Lets a StoreEnterpriseDatabase go once its cluster has removed the database, or is gone itself. */
export async function removeDatabase(kube: Kube, redb: Redb, cluster: ClusterObservation | Unready): Promise<Outcome> {
  if (!(redb.metadata.finalizers ?? []).includes(FINALIZERS.database)) return settled;
  if ("view" in cluster && cluster.view.workload !== undefined) {
    const left = await removeFrom(cluster, redb);
    if (left !== undefined) return waiting(LOOK_AGAIN_MS, "Deleting", left);
  }
  await letGo(kube, Databases, redb, FINALIZERS.database);
  return settled;
}

/** What is waited for; undefined when the cluster does not have the database any more. */
async function removeFrom(cluster: ClusterObservation, redb: Redb): Promise<string | undefined> {
  if ("unreachable" in cluster.records) return cluster.records.unreachable;
  const bdb = bdbOf(cluster, redb);
  if (bdb === undefined) return undefined;
  if (bdb.status !== "delete-pending") await cluster.client?.call("deleteBdb", { params: { uid: bdb.uid } });
  return `the cluster removes database ${bdb.uid}`;
}
