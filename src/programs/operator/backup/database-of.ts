import { isFault, messageOf } from "#kit/base/fault";
import { keyOf } from "#kit/kube/ref";
import type { Finding } from "../../../core/api/parts.ts";
import { block, pause } from "../../../core/planner/findings/finding.ts";
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
): BackedUpDatabase | Finding {
  const redb = cache.databases.get({ name, namespace });
  if (redb === undefined)
    return block(
      "DatabaseNotFound",
      `namespace ${namespace} has no StoreEnterpriseDatabase "${name}"`,
      "make it, or a backup of another one",
    );
  const uid = redb.status?.databaseUID ?? "";
  const cluster = clusterOf(cache, redb);
  if (uid === "" || "id" in cluster) return pause("DatabaseNotReady", `the database "${name}" was not made yet`);
  const client = contexts.of(keyOf(cluster))?.connection?.client;
  if (client !== undefined) return { client, uid };
  return pause("ClusterNotReady", `the management API of the cluster ${cluster.name} cannot be reached`);
}

/** That backup as the cluster knows it, else the one that it takes now; undefined when it knows neither, and why when it does not answer. */
export async function backupNamed(
  { client, uid }: BackedUpDatabase,
  name: string,
): Promise<BackupRecord | Finding | undefined> {
  try {
    const all = await client.call("backups", { params: { uid } });
    return all.find((backup) => backup.name === name) ?? all.find(({ status }) => status === "running");
  } catch (error) {
    return findingOfFailure(error);
  }
}

/** Why a request to a cluster has failed. */
export function findingOfFailure(error: unknown): Finding {
  if (isFault(error, faults.conflict)) return pause("DatabaseBusy", error.message);
  const isRefused = isFault(error, faults.notFound) || isFault(error, faults.refused);
  return isRefused
    ? block("Refused", error.message.replace(/\.$/, ""), error.forPeople)
    : pause("ClusterNotReady", messageOf(error));
}
