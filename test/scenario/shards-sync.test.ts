import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { callEngine, connectEngine } from "../../src/ports/resp/engine-client.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { enginesOf } from "../kit/world/engine-access.ts";
import { acceptsClients } from "../kit/world/filled-database.ts";
import { licenseCluster } from "../kit/world/licensed.ts";
import { kubeOf, readRecord } from "../kit/world/records.ts";
import { isActive, makeSharded } from "../kit/world/sharded-database.ts";

// What each shard of a database keeps of its own: who may succeed it, what replies wait for, what its engines let in, and what its disks hold.

const PATIENCE = { withinMs: 60_000, everyMs: 50 };
const KEYS = 200;

await using cluster = await startTestCluster();
using kube = kubeOf(cluster);
await licenseCluster(cluster, kube, 20, 20_000);
const asked = { name: "many", shards: 2, memoryBytes: 60_000_000, storeVersion: "8.0", replication: true } as const;
const uid = await makeSharded(cluster, { ...asked, durability: "sync" });
const { port } = await cluster.client.call("bdb", { params: { uid } });
let password = "";

await test("replies of each shard wait for its own replica, and what was answered outlives its primary", async () => {
  await until("each shard has a replica in its set", async () => (await sets()).every((size) => size === 1), PATIENCE);
  await fill("before");
  for (const shard of [0, 1]) {
    const before = await epochs();
    const victim = (await cluster.shards(uid)).filter(({ role }) => role === "master")[shard];
    assert.ok(victim !== undefined);
    process.kill(await cluster.enginePid(victim), "SIGKILL");
    await until("another primary", async () => ((await epochs())[shard] ?? 0) > (before[shard] ?? 0), PATIENCE);
    await until("each shard has a replica again", async () => (await sets()).every((size) => size === 1), PATIENCE);
    assert.deepEqual(await values(), new Set(["before"]));
  }
  assert.deepEqual((await cluster.client.call("bdb", { params: { uid } })).loss_reports, []);
});

await test("another password holds at each endpoint, and at the engines of no shard", async () => {
  await cluster.client.call("updateBdb", { params: { uid }, body: { authentication_redis_pass: "next" } });
  password = "next";
  assert.deepEqual(await values(), new Set(["before"]));
  for (const { logins: _logins, ...engine } of await enginesOf(cluster, uid))
    await assert.rejects(callEngine({ ...engine, password: "next" }, "PING"), /WRONGPASS|NOAUTH/);
});

await test("settings that engines have reach every shard, and memory as its share", async () => {
  await cluster.client.call("updateBdb", {
    params: { uid },
    body: { memory_size: 80_000_000, eviction_policy: "allkeys-lru" },
  });
  await until("it is active", () => isActive(cluster, uid), PATIENCE);
  const engines = await enginesOf(cluster, uid);
  const settings = await Promise.all(engines.map((engine) => callEngine(engine, "CONFIG", "GET", "maxmemory*")));
  for (const has of settings) {
    const known = JSON.stringify(has);
    assert.ok(known.includes('"maxmemory","40000000"') && known.includes('"allkeys-lru"'), known);
  }
  await assert.rejects(
    cluster.client.call("updateBdb", { params: { uid }, body: { memory_size: 39_000_000 } }),
    /2 shards need at least 40 MB together/,
  );
});

await test("all nodes end at once, and each shard comes back with what its disks hold", async () => {
  await cluster.client.call("updateBdb", { params: { uid }, body: { data_persistence: "aofAlways" } });
  await until("each engine appends to its file", appendsAtEach, PATIENCE);
  await until("it is active", () => isActive(cluster, uid), PATIENCE);
  await fill("kept");
  await Promise.all([1, 2, 3].map((node) => cluster.kill(node)));
  await Promise.all([1, 2, 3].map((node) => cluster.start(node)));
  await until("it is active", () => isActive(cluster, uid), PATIENCE);
  assert.deepEqual(await values(), new Set(["kept"]));
});

async function epochs(): Promise<readonly number[]> {
  return (await readRecord(kube, cluster, uid)).shards.map(({ epoch }) => epoch);
}

/** How many replicas may succeed the primary of each shard. */
async function sets(): Promise<readonly number[]> {
  const { shards } = await readRecord(kube, cluster, uid);
  return shards.map(({ epoch, inSync }) => (inSync?.epoch === epoch ? inSync.members.length : 0));
}

/** The file is whole: what an engine executes from now on is kept. */
async function appendsAtEach(): Promise<boolean> {
  const engines = await enginesOf(cluster, uid);
  const known = await Promise.all(engines.map((engine) => callEngine(engine, "INFO", "persistence")));
  const signs = ["aof_enabled:1", "aof_rewrite_in_progress:0", "aof_rewrite_scheduled:0"];
  return known.every((text) => signs.every((sign) => String(text).includes(sign)));
}

async function client() {
  const endpoint = { host: cluster.address(1), port, password, timeoutMs: 30_000 };
  await until("the endpoint accepts clients", () => acceptsClients(endpoint), PATIENCE);
  return connectEngine(endpoint);
}

async function fill(value: string): Promise<void> {
  const connected = await client();
  const replies = await Promise.all(keys().map((key) => connected.call("SET", key, value)));
  assert.deepEqual(new Set(replies.map(String)), new Set(["OK"]));
  connected.close();
}

async function values(): Promise<ReadonlySet<string>> {
  const connected = await client();
  const found = await connected.call("MGET", ...keys());
  connected.close();
  return new Set(Array.isArray(found) ? found.map(String) : []);
}

function keys(): readonly string[] {
  return Array.from({ length: KEYS }, (_, key) => `key ${key}`);
}
