import type { StoreEnterpriseCluster, StoreEnterpriseDatabase } from "../api/kinds.ts";
import type { Kube, Stored } from "../kube/kube.ts";
import type { BdbRecord } from "../management/records.ts";
import { observeCluster, readClusterSpec, type ClusterObservation, type ObserveDeps } from "../observe/cluster.ts";
import { Clusters } from "../observe/kinds.ts";

/** A StoreEnterpriseDatabase as it is stored. */
export type Redb = Stored<StoreEnterpriseDatabase>;

/** The cluster that the database belongs to; a sentence when there is none. */
export async function clusterOf(deps: ObserveDeps, redb: Redb): Promise<ClusterObservation | string> {
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

/** The database as its cluster has it; undefined when it does not, or cannot be asked. */
export function bdbOf({ records }: ClusterObservation, { metadata }: Redb): BdbRecord | undefined {
  return "unreachable" in records ? undefined : records.bdbs.find(({ name }) => name === metadata.name);
}
