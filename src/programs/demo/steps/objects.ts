import type { StoreEnterpriseCluster, StoreEnterpriseDatabase } from "../../../core/api/kinds.ts";
import type { AskedVersion } from "../../../core/api/records.ts";

/** Names of the demo's objects, the same as in the tour of the README. */
export const DEMO = { namespace: "default", cluster: "rec", database: "orders" } as const;

/** A cluster of three nodes, small enough for a laptop. */
export function demoCluster(
  nodeTag: string,
): StoreEnterpriseCluster & { metadata: { name: string; namespace: string } } {
  const resources = { requests: { cpu: "100m", memory: "256Mi" }, limits: { cpu: "2", memory: "2Gi" } };
  return {
    metadata: { name: DEMO.cluster, namespace: DEMO.namespace },
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
  shardCount = 1,
): StoreEnterpriseDatabase & { metadata: { name: string; namespace: string } } {
  return {
    metadata: { name: DEMO.database, namespace: DEMO.namespace },
    spec: {
      storeEnterpriseCluster: { name: DEMO.cluster },
      memorySize: "256MB",
      ...(shardCount === 1 ? {} : { shardCount }),
      replication: true,
      storeVersion,
    },
  };
}
