import { ConfigMaps } from "#kit/kube/builtin";
import type { Kube } from "#kit/kube/kube";
import { until } from "#kit/testing/until";
import { clusterNames } from "../../../src/core/api/names.ts";
import type { StoreVersion } from "../../../src/core/api/records.ts";
import type { TestCluster } from "./cluster.ts";

/** A database of several shards that is to be made. */
export interface ShardedBody {
  readonly name: string;
  readonly shards: number;
  readonly memoryBytes: number;
  readonly storeVersion: StoreVersion;
  readonly replication: boolean;
  readonly durability?: "sync";
}

/** Makes a database of several shards, without a password; its uid, once it is active. */
export async function makeSharded(cluster: TestCluster, body: ShardedBody): Promise<number> {
  const { name, shards, memoryBytes, storeVersion, ...asked } = body;
  const { uid } = await cluster.client.call("createBdb", {
    body: { name, shards_count: shards, memory_size: memoryBytes, redis_version: storeVersion, ...asked },
  });
  await until(`${name} is active`, () => isActive(cluster, uid), { withinMs: 60_000, everyMs: 50 });
  return uid;
}

/** The database is active; false while no node answers. */
export async function isActive(cluster: TestCluster, uid: number): Promise<boolean> {
  const found = await cluster.client.call("bdb", { params: { uid } }).catch(() => undefined);
  return found?.status === "active" && found.version !== "";
}

/** The ConfigMap of a database is there. */
export async function hasRecord(cluster: TestCluster, kube: Kube, uid: number): Promise<boolean> {
  const name = clusterNames.databaseRecord(cluster.rec, uid);
  return (await kube.get(ConfigMaps, { name, namespace: cluster.namespace })) !== undefined;
}
