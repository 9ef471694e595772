import { API_GROUP, API_VERSION } from "../../core/api/names.ts";
import { KINDS, type StoreEnterpriseCluster, type StoreEnterpriseDatabase } from "../../core/api/kinds.ts";
import type { AskedVersion } from "../../core/api/records.ts";
import type { ResourceType } from "../../ports/kube/kube.ts";

export const Clusters: ResourceType<StoreEnterpriseCluster> = typeOf(KINDS.cluster);
export const Databases: ResourceType<StoreEnterpriseDatabase> = typeOf(KINDS.database);

/** Who appears in the story; names as the README's tour uses them. */
export const CAST = { namespace: "default", cluster: "rec", database: "orders" } as const;

/** A cluster of three nodes, small enough for a laptop. */
export function demoCluster(
  nodeTag: string,
): StoreEnterpriseCluster & { metadata: { name: string; namespace: string } } {
  const resources = { requests: { cpu: "100m", memory: "256Mi" }, limits: { cpu: "2", memory: "2Gi" } };
  return {
    metadata: { name: CAST.cluster, namespace: CAST.namespace },
    spec: {
      nodes: 3,
      storeEnterpriseImageSpec: { versionTag: nodeTag },
      storeEnterpriseNodeResources: resources,
    },
  };
}

/** A replicated database. */
export function demoDatabase(
  storeVersion: AskedVersion,
): StoreEnterpriseDatabase & { metadata: { name: string; namespace: string } } {
  return {
    metadata: { name: CAST.database, namespace: CAST.namespace },
    spec: {
      storeEnterpriseCluster: { name: CAST.cluster },
      memorySize: "512MB",
      replication: true,
      storeVersion,
    },
  };
}

function typeOf<T>({ kind, plural }: { kind: string; plural: string }): ResourceType<T> {
  return { group: API_GROUP, version: API_VERSION, kind, plural, namespaced: true };
}
