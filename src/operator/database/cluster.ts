import type { StoreEnterpriseCluster, StoreEnterpriseDatabase } from "../../api/kinds.ts";
import type { Kube, Stored } from "../../kube/kube.ts";
import type { BdbRecord } from "../../management/records.ts";
import { observeCluster, readClusterSpec, type ClusterObservation, type ObserveDeps } from "../../observe/cluster.ts";
import { Clusters } from "../../observe/kinds.ts";

/** Why a database cannot be looked after at the moment. */
export interface Unready {
  readonly reason: "ClusterNotFound" | "ClusterInvalid" | "ClusterNotReady" | "PermissionsMissing" | "RequestForbidden";
  readonly message: string;
}

/** A StoreEnterpriseDatabase as it is stored. */
export type Redb = Stored<StoreEnterpriseDatabase>;

/** The cluster that the database belongs to, or why there is none. */
export async function clusterOf(deps: ObserveDeps, redb: Redb): Promise<ClusterObservation | Unready> {
  const namespace = redb.metadata.namespace ?? "default";
  const rec = await findCluster(deps.kube, redb.spec.storeEnterpriseCluster?.name, namespace);
  if (typeof rec === "string") return { reason: "ClusterNotFound", message: rec };
  const spec = readClusterSpec(rec);
  return typeof spec === "string"
    ? { reason: "ClusterInvalid", message: `the cluster ${rec.metadata.name} is invalid: ${spec}` }
    : observeCluster(deps, rec, spec);
}

async function findCluster(
  kube: Kube,
  name: string | undefined,
  namespace: string,
): Promise<Stored<StoreEnterpriseCluster> | string> {
  const named = name === undefined ? undefined : await kube.get(Clusters, { name, namespace });
  if (named !== undefined) return named;
  const { items } = await kube.list(Clusters, { namespace });
  const there =
    items.length === 0 ? "no cluster" : `clusters: ${items.map(({ metadata }) => metadata.name).join(", ")}`;
  if (name !== undefined) {
    return `spec.storeEnterpriseCluster.name is "${name}", but namespace ${namespace} has ${there}`;
  }
  const only = items.length === 1 ? items[0] : undefined;
  return only ?? `spec.storeEnterpriseCluster.name is not set, and namespace ${namespace} has ${there}`;
}

/** The database as its cluster has it; undefined when it does not, or cannot be asked. */
export function bdbOf({ records }: ClusterObservation, { metadata }: Redb): BdbRecord | undefined {
  return "unreachable" in records ? undefined : records.bdbs.find(({ name }) => name === metadata.name);
}
