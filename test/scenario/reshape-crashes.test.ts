import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import type { DatabaseRecord, ReshapeIntent } from "../../src/core/api/records.ts";
import { primaryOf, replicasOf } from "../../src/core/planner/database/facts.ts";
import { connectEngine } from "../../src/ports/resp/engine-client.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { licenseCluster } from "../kit/world/licensed.ts";
import { kubeOf, readRecord } from "../kit/world/records.ts";
import { childrenOf, awaitShards, startLoadAt, type LoadByNodes } from "../kit/world/reshaping.ts";
import { makeSharded } from "../kit/world/sharded-database.ts";
import { STORE } from "../kit/programs.ts";

// What another number of shards needs is killed while it is made: the shards are there in the end, no request fails where no proxy was killed, and no write is lost.

const NODES = [1, 2, 3];
const PATIENCE = { withinMs: 180_000, everyMs: 20 };
const KEYS = 20_000;
const AT_ONCE = 1_000;

await using cluster = await startTestCluster();
using kube = kubeOf(cluster);
await licenseCluster(cluster, kube, 20, 20_000);
const uid = await makeSharded(cluster, {
  name: "grows",
  shards: 1,
  memoryBytes: 200_000_000,
  storeVersion: "7.2",
  replication: true,
  durability: "sync",
});
const { port } = await cluster.client.call("bdb", { params: { uid } });

await test("many keys are there", async () => {
  const client = await connectEngine({ host: cluster.address(1), port, timeoutMs: 10_000 });
  for (let at = 0; at < KEYS; at += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, key) => client.call("SET", `key ${at + key}`, "v".repeat(500))),
    );
  client.close();
});

for (const [what, shards, kill] of [
  ["the mover", 2, killMover],
  ["the engine of a primary to be", 1, (reshape: ReshapeIntent) => killEngine(reshape, "primary")],
  ["the engine of a replica to be", 2, (reshape: ReshapeIntent) => killEngine(reshape, "replica")],
] as const)
  await test(`${what} is killed: the number becomes ${shards}, nothing failed, nothing lost`, async () => {
    await using load = await startLoad(NODES);
    await ask(shards);
    await kill(await phase("copy"));
    await becomes(shards);
    assert.deepEqual(await load.end(), { failed: 0, lost: 0 });
  });

await test("the engine of a primary that serves is killed: the number becomes 3, nothing lost", async () => {
  await using load = await startLoad(NODES);
  await ask(3);
  await phase("copy");
  const [shard] = (await record()).shards;
  assert.ok(shard !== undefined);
  kill(engineOf(primaryOf(shard)));
  await becomes(3);
  assert.equal((await load.end()).lost, 0);
});

for (const [at, shards] of [
  ["copy", 1],
  ["hold", 3],
  ["retire", 2],
] as const)
  await test(`the agent that leads is killed at ${at}: the number becomes ${shards}, nothing lost`, async () => {
    const leader = await cluster.leader();
    await using load = await startLoad(NODES.filter((node) => node !== leader));
    await ask(shards);
    await phase(at);
    await cluster.kill(leader);
    await cluster.start(leader);
    await becomes(shards);
    assert.equal((await load.end()).lost, 0);
  });

await test("each key is there in the end", async () => {
  for (const node of NODES) {
    const client = await connectEngine({ host: cluster.address(node), port, timeoutMs: 10_000 });
    for (let at = 0; at < KEYS; at += AT_ONCE) {
      const lengths = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, key) => client.call("STRLEN", `key ${at + key}`)),
      );
      assert.equal(lengths.filter((length) => length !== 500).length, 0);
    }
    client.close();
  }
});

function record(): Promise<DatabaseRecord> {
  return readRecord(kube, cluster, uid);
}

async function ask(shards: number): Promise<void> {
  await cluster.client.call("updateBdb", { params: { uid }, body: { shards_count: shards } });
}

/** Waits until the record has got to this phase; a short one may have passed. */
async function phase(wanted: ReshapeIntent["phase"]): Promise<ReshapeIntent> {
  const order = ["copy", "hold", "retire"];
  let found: ReshapeIntent | undefined;
  const isThere = async (): Promise<boolean> => {
    found = (await record()).reshape;
    return found !== undefined && order.indexOf(found.phase) >= order.indexOf(wanted);
  };
  await until(`the phase is ${wanted}`, isThere, { withinMs: 120_000, everyMs: 2 });
  assert.ok(found !== undefined);
  return found;
}

/** Waits until the database has so many shards, and the former ones are gone. */
function becomes(shards: number): Promise<void> {
  return awaitShards(cluster, kube, uid, shards);
}

async function killMover({ mover: { node } }: ReshapeIntent): Promise<void> {
  const find = (): number | undefined =>
    childrenOf(cluster, node).find(({ command }) => command.includes(`${STORE} mover`))?.pid;
  await until("the mover runs", () => find() !== undefined, PATIENCE);
  kill(find());
}

async function killEngine({ shards }: ReshapeIntent, role: "primary" | "replica"): Promise<void> {
  const [shard] = shards;
  assert.ok(shard !== undefined);
  const instance = role === "primary" ? primaryOf(shard) : replicasOf(shard)[0];
  assert.ok(instance !== undefined);
  await until("the engine runs", () => engineOf(instance) !== undefined, PATIENCE);
  kill(engineOf(instance));
}

function engineOf({ node, port: own }: { readonly node: number; readonly port: number }): number | undefined {
  return childrenOf(cluster, node).find(({ command }) => command.includes(`-server ${cluster.address(node)}:${own}`))
    ?.pid;
}

function kill(pid: number | undefined): void {
  assert.ok(pid !== undefined);
  process.kill(pid, "SIGKILL");
}

/** Clients that write and read at these nodes. */
function startLoad(nodes: readonly number[]): Promise<LoadByNodes> {
  return startLoadAt(cluster, nodes, { port });
}
