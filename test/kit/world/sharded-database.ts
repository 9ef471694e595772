import { silentLog } from "#kit/base/log";
import { ConfigMaps } from "#kit/kube/builtin";
import type { Kube } from "#kit/kube/kube";
import { systemClock } from "#kit/reconcile/system-clock";
import { clusterNames } from "../../../src/core/api/names.ts";
import type { StoreVersion } from "../../../src/core/api/records.ts";
import { settingsOfWire } from "../../../src/core/api/settings/values.ts";
import { placeShards } from "../../../src/core/planner/database/place-shards.ts";
import { freeEndpointPort } from "../../../src/core/planner/database/placement.ts";
import { newDatabase } from "../../../src/core/records/new-database.ts";
import { placedInstances } from "../../../src/core/records/placed-instances.ts";
import { evenSlots } from "../../../src/core/slots/shard-slots.ts";
import { databaseCounter } from "../../../src/programs/agent/api/databases/create-bdb.ts";
import { databasePasswords } from "../../../src/programs/agent/credentials/database-passwords.ts";
import { followRecords } from "../../../src/programs/agent/records/records.ts";
import { node } from "../facts/database-scene.ts";
import type { TestCluster } from "./cluster.ts";
import { until } from "#kit/testing/until";

/** A database of several shards that is to be made. */
export interface ShardedBody {
  readonly name: string;
  readonly shards: number;
  readonly memoryBytes: number;
  readonly storeVersion: StoreVersion;
  readonly replication: boolean;
  readonly durability?: "sync";
}

const ACTION = { uid: "made by a test", name: "create_bdb", status: "running", progress: 0 } as const;

/** Writes the record and the Secret of a database as the leader does, for a number of shards that no request may ask for; its uid, once it is active. */
export async function makeSharded(cluster: TestCluster, kube: Kube, body: ShardedBody): Promise<number> {
  const { name, shards, memoryBytes, storeVersion, replication, durability } = body;
  const stop = new AbortController();
  const place = { kube, cluster: cluster.rec, namespace: cluster.namespace, clock: systemClock };
  const records = followRecords({ ...place, log: silentLog, signal: stop.signal });
  await records.synced;
  const settings = settingsOfWire({ memory_size: memoryBytes, replication, ...(durability && { durability }) });
  const passwords = databasePasswords(place);
  const free = await passwords.free.take(
    databaseCounter({ records, members: { list: () => [], get: () => undefined } }),
  );
  if (free === undefined) throw new Error("no Secret is there for another database");
  const placed = placeShards({
    settings,
    shards: evenSlots(shards).map((slots) => ({ slots })),
    storeVersion,
    tls: false,
    nodes: (await cluster.client.call("nodes")).map(({ uid }) => node(uid, { memoryBytes: 1e12 })),
    everything: placedInstances(records.databases()),
    bdb: free.number,
  });
  if ("refusal" in placed) throw new Error(placed.refusal);
  const port = freeEndpointPort(records.databases().map((one) => one.port)) ?? 0;
  const requested = { ...settings, name, port, storeVersion, passwords: { revision: 0, engines: "closed" as const } };
  const given = { uid: free.number, places: placed.places, now: systemClock.now().toISOString(), action: ACTION };
  await passwords.set(free, "", undefined);
  await records.createDatabase(newDatabase(requested, given));
  stop.abort();
  await until(`${name} is active`, () => isActive(cluster, free.number), { withinMs: 60_000, everyMs: 50 });
  return free.number;
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
