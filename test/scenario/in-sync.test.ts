import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterNames } from "../../src/core/api/names.ts";
import type { ShardInstanceRecord } from "../../src/ports/management/records.ts";
import { Leases } from "#kit/kube/builtin";
import { callEngine } from "../../src/ports/resp/engine-client.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { KEYS, filledDatabase, type FilledDatabase } from "../kit/world/filled-database.ts";
import { kubeOf, readRecord } from "../kit/world/records.ts";
import { enginesOf } from "../kit/world/engine-access.ts";
import { nodeOf, primaryOf } from "../kit/world/shards.ts";
import { until } from "#kit/testing/until";

// Which replica may succeed a primary: one of the set in the record, after the primary is proven to have ended.

const PATIENCE = { withinMs: 40_000, everyMs: 20 };
const PASSWORD = "s3cret";
const DURABLE = { replication: true, data_persistence: "aofEverySecond", authentication_redis_pass: PASSWORD } as const;
/** A proxy may acknowledge so long after the last renewal of its node's lease, in milliseconds. */
const GRANT_MS = 4_000;

await using cluster = await startTestCluster();
using kube = kubeOf(cluster);

await test("a primary that ended in good order returns with all that it acknowledged, though its replica was linked once", async () => {
  await using database = await filledDatabase(cluster, { name: "returns", ...DURABLE });
  const replica = await successor(database);
  const before = await database.active();
  await cutLink(replica);
  for (let key = 0; key < 50; key++) await database.call("SET", `later ${key}`, "value");
  await until("the replica has left the set", async () => (await members(database)).length === 0, PATIENCE);
  const primary = primaryOf(await cluster.shards(database.uid));
  const pid = await cluster.enginePid(primary);
  assert.ok(pid > 0, "the primary runs");
  process.kill(pid, "SIGTERM");
  await until("it runs again", async () => ![0, pid].includes(await cluster.enginePid(primary)), PATIENCE);
  const back = await database.active();
  assert.deepEqual([back.epoch, back.loss_reports], [before.epoch, []]);
  assert.equal(primaryOf(await cluster.shards(database.uid)).uid, primary.uid);
  assert.equal(await database.keys(), KEYS + 50);
});

await test("a node that is lost at once is shut out before its replica takes over", async () => {
  await using database = await filledDatabase(cluster, { name: "lost", ...DURABLE });
  await successor(database);
  const { epoch } = await database.active();
  const node = nodeOf(primaryOf(await cluster.shards(database.uid)));
  await cluster.kill(node);
  await until("a replica has taken over", async () => ((await database.seen())?.epoch ?? 0) > epoch, PATIENCE);
  const lease = { name: clusterNames.nodeLease(cluster.rec, node), namespace: cluster.namespace };
  const renewed = Date.parse(String((await kube.get(Leases, lease))?.spec?.renewTime));
  assert.ok(Date.now() - renewed >= GRANT_MS, "its proxy could still have acknowledged");
  assert.equal(await database.keys(), KEYS);
  await cluster.start(node);
  await database.copied();
});

/** The one replica that may succeed the primary; waits until there is one. */
async function successor(database: FilledDatabase): Promise<ShardInstanceRecord> {
  await until("a replica is in the set", async () => (await members(database)).length === 1, PATIENCE);
  const [replica] = (await cluster.shards(database.uid)).filter(({ role }) => role === "slave");
  assert.ok(replica !== undefined);
  return replica;
}

async function members({ uid }: FilledDatabase): Promise<readonly number[]> {
  return (await readRecord(kube, cluster, uid)).shards[0]?.inSync?.members ?? [];
}

/** The replica loses its primary and may not come back to it; it still runs, and has what it had. */
async function cutLink(replica: ShardInstanceRecord): Promise<void> {
  const host = cluster.address(nodeOf(replica));
  const address = (await enginesOf(cluster, Number(replica.bdb_uid))).find((engine) => engine.host === host);
  assert.ok(address !== undefined);
  await callEngine(address, "CONFIG", "SET", "masterauth", "wrong");
  await callEngine(address, "CLIENT", "KILL", "TYPE", "master");
}
