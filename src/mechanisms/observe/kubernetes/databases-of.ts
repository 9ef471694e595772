import { clusterNameFor } from "../../../core/api/database-home.ts";
import type { StoreEnterpriseDatabase } from "../../../core/api/kinds.ts";
import type { Kube, Stored } from "#kit/kube/kube";
import { Clusters, Databases } from "./kinds.ts";

/** The objects of the databases that belong to a cluster, as they are now. */
export async function readDatabasesOf(
  kube: Kube,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): Promise<readonly Stored<StoreEnterpriseDatabase>[]> {
  const [clusters, databases] = await Promise.all([
    kube.list(Clusters, { namespace }),
    kube.list(Databases, { namespace }),
  ]);
  const names = [...new Set([name, ...clusters.items.map(({ metadata }) => metadata.name)])];
  return databases.items.filter((redb) => clusterNameFor(redb, names) === name);
}
