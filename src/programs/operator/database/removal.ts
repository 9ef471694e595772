import { FINALIZERS } from "../../../core/api/kinds.ts";
import type { Kube } from "../../../ports/kube/kube.ts";
import { Databases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { settled, waiting, type Outcome } from "../../../mechanisms/reconcile/outcome.ts";
import { removeFinalizer } from "../objects/finalizer.ts";
import type { ClusterContext } from "../context/cluster-context.ts";
import { bdbOf, type Redb } from "./cluster.ts";

const LOOK_AGAIN_MS = 500;

/** Removes the finalizer of a StoreEnterpriseDatabase once its cluster has removed the database, or there is no cluster context. */
export async function removeDatabase(kube: Kube, redb: Redb, context: ClusterContext | undefined): Promise<Outcome> {
  if (!(redb.metadata.finalizers ?? []).includes(FINALIZERS.database)) return settled;
  if (context?.hasNodes === true) {
    const left = await removeFrom(context, redb);
    if (left !== undefined) return waiting(LOOK_AGAIN_MS, "Deleting", left);
  }
  await removeFinalizer(kube, Databases, redb, FINALIZERS.database);
  return settled;
}

/** What is waited for; undefined when the cluster does not have the database any more. */
async function removeFrom({ connection, unready }: ClusterContext, redb: Redb): Promise<string | undefined> {
  if (connection === undefined) return unready?.evidence ?? "the cluster cannot be asked yet";
  const polled = await connection.records(LOOK_AGAIN_MS / 2);
  if ("unreachable" in polled) return polled.unreachable;
  const bdb = bdbOf(polled, redb);
  if (bdb === undefined) return undefined;
  if (bdb.status !== "delete-pending") await connection.client.call("deleteBdb", { params: { uid: bdb.uid } });
  return `the cluster removes database ${bdb.uid}`;
}
