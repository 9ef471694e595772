import type { DatabaseSpec } from "./database-spec.ts";
import type { DatabaseStatus } from "./database-status.ts";

/** What an object of a database says of the cluster that it belongs to. */
export interface OfCluster {
  readonly spec: { readonly storeEnterpriseCluster?: DatabaseSpec["storeEnterpriseCluster"] };
  readonly status?: Pick<DatabaseStatus, "databaseUID" | "cluster" | "creating"> | undefined;
}

/**
 * Name of the cluster that a database belongs to. A database that a cluster has belongs to it, whatever the spec says and whichever clusters
 * come and go. Before, it is the cluster that the spec names; without a name, the cluster that was taken before while it is there, or the only
 * one of `clusters`, the names in its namespace. Undefined when it cannot be known.
 */
export function clusterNameFor({ spec, status = {} }: OfCluster, clusters: readonly string[]): string | undefined {
  const home = homeOf(status);
  if (home !== undefined) return home;
  if (status.creating === true && status.cluster) return status.cluster; // it may have it
  const named = spec.storeEnterpriseCluster?.name;
  if (named !== undefined) return named;
  const taken = status.cluster;
  if (taken !== undefined && clusters.includes(taken)) return taken;
  return clusters.length === 1 ? clusters[0] : undefined;
}

/** The cluster that holds the database, whatever its object names now; undefined before one does. */
export function homeOf({ databaseUID, cluster }: Pick<DatabaseStatus, "databaseUID" | "cluster">): string | undefined {
  return databaseUID === undefined || cluster === "" ? undefined : cluster;
}
