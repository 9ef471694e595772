import { isFault, messageOf } from "#kit/base/fault";
import { keyOf } from "#kit/kube/ref";
import type { BackupReason } from "../../../core/backup/decide.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { ManagementClient } from "../../../ports/management/client.ts";
import { faults } from "../../../ports/management/faults.ts";
import type { BackupRecord } from "../../../ports/management/records/backups.ts";
import type { ClusterContexts } from "../context/cluster-context.ts";
import { clusterOf } from "../database/cluster.ts";

/** How the database of a backup is asked. */
export interface BackedUpDatabase {
  readonly client: ManagementClient;
  readonly uid: string;
}

/** With what it is found. */
export interface FindDatabaseDeps {
  readonly cache: Pick<InformerCache, "clusters" | "databases">;
  readonly contexts: Pick<ClusterContexts, "of">;
}

/** The database of that name in the namespace of the backup, and in no other; why there is none otherwise. */
export function databaseOf(
  { cache, contexts }: FindDatabaseDeps,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): BackedUpDatabase | BackupReason {
  const redb = cache.databases.get({ name, namespace });
  if (redb === undefined)
    return {
      reason: "DatabaseNotFound",
      message: `namespace ${namespace} has no StoreEnterpriseDatabase "${name}"; remedy: make it, or a backup of another one`,
    };
  const uid = redb.status?.databaseUID ?? "";
  const cluster = clusterOf(cache, redb);
  if (uid === "" || "id" in cluster)
    return { reason: "DatabaseNotReady", message: `the database "${name}" was not made yet` };
  const client = contexts.of(keyOf(cluster))?.connection?.client;
  if (client !== undefined) return { client, uid };
  return { reason: "ClusterNotReady", message: `the management API of the cluster ${cluster.name} cannot be reached` };
}

/** That backup as the cluster knows it, else the one that it takes now; undefined when it knows neither, and the reason when it does not answer. */
export async function backupNamed(
  { client, uid }: BackedUpDatabase,
  name: string,
): Promise<BackupRecord | BackupReason | undefined> {
  try {
    const all = await client.call("backups", { params: { uid } });
    return all.find((backup) => backup.name === name) ?? all.find(({ status }) => status === "running");
  } catch (error) {
    return reasonOfFailure(error);
  }
}

/** Why a request has failed, for a condition. */
export function reasonOfFailure(error: unknown): BackupReason {
  const isBusy = isFault(error, faults.conflict);
  const isRefused = isFault(error, faults.notFound) || isFault(error, faults.refused);
  return { reason: isBusy ? "DatabaseBusy" : isRefused ? "Refused" : "ClusterNotReady", message: messageOf(error) };
}
