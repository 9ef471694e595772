import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import type { DatabaseRecord, ReshapeIntent } from "../../src/core/api/records.ts";
import { primaryOf } from "../../src/core/planner/database/facts.ts";
import { slotTexts } from "../../src/core/slots/named-slots.ts";
import { connectEngine } from "../../src/ports/resp/engine-client.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { licenseCluster } from "../kit/world/licensed.ts";
import { kubeOf, readRecord } from "../kit/world/records.ts";
import { awaitTable, childrenOf, startLoadAt } from "../kit/world/reshaping.ts";
import { makeSharded } from "../kit/world/sharded-database.ts";

// Slots move between some shards of a database under load, and the others are kept: with their engines, whatever is killed meanwhile. No request fails, and no write is lost.

const NODES = [1, 2, 3];
const PATIENCE = { withinMs: 180_000, everyMs: 5 };
const UNEVEN = ["0-5000", "5001", "5002-16383"];
const MOVED = ["0-4999", "5000-5001", "5002-16383"];
const KEYS = 10_000;
const AT_ONCE = 1_000;

await using cluster = await startTestCluster();
using kube = kubeOf(cluster);
await licenseCluster(cluster, kube, 20, 20_000);
const uid = await makeSharded(cluster, {
  name: "carts",
  shards: 1,
  memoryBytes: 200_000_000,
  storeVersion: "7.2",
  replication: true,
  durability: "sync",
});
const { port } = await cluster.client.call("bdb", { params: { uid } });
const connect = (): ReturnType<typeof connectEngine> =>
  connectEngine({ host: cluster.address(1), port, timeoutMs: 10_000 });
const client = await connect();
for (let at = 0; at < KEYS; at += AT_ONCE)
  await Promise.all(
    Array.from({ length: AT_ONCE }, (_, key) => client.call("SET", `key ${at + key}`, "v".repeat(500))),
  );

await test("one shard becomes three uneven ones, a slot moves between two of them and the third is kept, and two even ones come", async () => {
  await using load = await startLoadAt(cluster, NODES, { port });
  await becomes(UNEVEN);
  const kept = placesOf(await shardOf("5002-16383"));
  await becomes(MOVED);
  assert.deepEqual(placesOf(await shardOf("5002-16383")), kept, "with its id, its epoch and its engines");
  await cluster.client.call("updateBdb", { params: { uid }, body: { shards_count: 2 } });
  await awaitTable(cluster, kube, uid, ["0-8191", "8192-16383"]);
  assert.deepEqual(await load.end(), { failed: 0, lost: 0 });
  assert.equal(await client.call("EXISTS", "key 0", "key 9999"), 2);
  client.close();
});

await test("the plan says which shards stay, and counts the memory of the others alone", async () => {
  const count = "0-4095;4096-8191;8192-16383";
  const plan = await cluster.client.call("shardsPlan", { params: { uid, count } });
  assert.deepEqual(
    [plan.shards.map((shard) => shard.assigned_slots), plan.kept_shards.map((shard) => shard.assigned_slots)],
    [["0-4095", "4096-8191"], ["8192-16383"]],
  );
  const sumOf = (what: "memory" | "memory_meanwhile"): number => plan.nodes.reduce((sum, node) => sum + node[what], 0);
  assert.ok(Math.abs(sumOf("memory_meanwhile") - 1.5 * sumOf("memory")) < 100_000);
});

await test("the primary of a shard that is kept is killed while the others are copied: it fails over, and copying goes on", async () => {
  await using load = await startLoadAt(cluster, NODES, { port });
  await ask(["0-4095", "4096-8191", "8192-16383"]);
  const { attempt } = await phase("copy");
  const { epoch, ...shard } = await shardOf("8192-16383");
  const { node, port: own } = primaryOf({ epoch, ...shard });
  const engine = childrenOf(cluster, node).find(({ command }) =>
    command.includes(`-server ${cluster.address(node)}:${own}`),
  );
  assert.ok(engine !== undefined);
  process.kill(engine.pid, "SIGKILL");
  await awaitTable(cluster, kube, uid, ["0-4095", "4096-8191", "8192-16383"]);
  assert.equal((await load.end()).lost, 0);
  const { epoch: now, id } = await shardOf("8192-16383");
  assert.deepEqual([id, now > epoch, attempt], [shard.id, true, 1]);
});

for (const [at, slots] of [
  ["copy", ["0-4094", "4095-8191", "8192-16383"]],
  ["hold", ["0-4095", "4096-8191", "8192-16383"]],
  ["retire", ["0-99", "100-8191", "8192-16383"]],
] as const)
  await test(`the agent that leads is killed at ${at}: the slots become ${slots.join(" ")}, one shard is kept, nothing lost`, async () => {
    const leader = await cluster.leader();
    const { id } = await shardOf("8192-16383");
    await using load = await startLoadAt(
      cluster,
      NODES.filter((node) => node !== leader),
      { port },
    );
    await ask(slots);
    await phase(at);
    await cluster.kill(leader);
    await cluster.start(leader);
    await awaitTable(cluster, kube, uid, slots);
    assert.equal((await shardOf("8192-16383")).id, id);
    assert.equal((await load.end()).lost, 0);
  });

await test("each key is there in the end", async () => {
  // the node of the client before may have been killed
  const client = await connect();
  for (let at = 0; at < KEYS; at += AT_ONCE) {
    const lengths = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, key) => client.call("STRLEN", `key ${at + key}`)),
    );
    assert.equal(lengths.filter((length) => length !== 500).length, 0);
  }
  client.close();
});

async function ask(slots: readonly string[]): Promise<void> {
  await cluster.client.call("updateBdb", { params: { uid }, body: { shard_slots: slots } });
}

async function becomes(slots: readonly string[]): Promise<void> {
  await ask(slots);
  await awaitTable(cluster, kube, uid, slots);
}

function record(): Promise<DatabaseRecord> {
  return readRecord(kube, cluster, uid);
}

async function shardOf(slots: string): Promise<DatabaseRecord["shards"][number]> {
  const shard = (await record()).shards.find((one) => slotTexts([one]).join("") === slots);
  assert.ok(shard !== undefined, slots);
  return shard;
}

function placesOf({ id, epoch, primary, instances }: DatabaseRecord["shards"][number]) {
  return { id, epoch, primary, instances };
}

/** Waits until the record has got to this phase; a short one may have passed. */
async function phase(wanted: ReshapeIntent["phase"]): Promise<ReshapeIntent> {
  const order = ["copy", "hold", "retire"];
  let found: ReshapeIntent | undefined;
  const isThere = async (): Promise<boolean> => {
    found = (await record()).reshape;
    return found !== undefined && order.indexOf(found.phase) >= order.indexOf(wanted);
  };
  await until(`the phase is ${wanted}`, isThere, PATIENCE);
  assert.ok(found !== undefined);
  return found;
}
