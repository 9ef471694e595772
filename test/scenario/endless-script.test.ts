import assert from "node:assert/strict";
import { test } from "node:test";
import type { BdbRecord, ShardInstanceRecord } from "../../src/ports/management/records.ts";
import { plain, RawClient } from "../kit/engines/raw-client.ts";
import { until } from "#kit/testing/until";
import { startTestCluster } from "../kit/world/cluster.ts";
import { nodeOf, primaryOf } from "../kit/world/shards.ts";
import { assertWithin } from "#kit/testing/assert-within";

const PATIENCE = { withinMs: 30_000, everyMs: 50 };
const WRITES_AND_RUNS = 'redis.call("SET", "written", 1) while true do end';

await using cluster = await startTestCluster();

await test("an endless script is reported with client and age, a node waits for its end, and a kill through any endpoint ends it", async () => {
  const { uid, port } = await cluster.create({ name: "endless", memory_size: 20_000_000, replication: true });
  const [runaway, other] = [await client(1, port), await client(2, port)];
  runaway.send("EVAL", "while true do end", 0);
  await until("it is reported", async () => (await read(uid)).running_script !== undefined, PATIENCE);
  const { epoch, running_script: script, status } = await read(uid);
  assert.match(script?.client ?? "", /^127\..*:\d+$/);
  assert.equal(script?.command, "EVAL");
  const node = await leave(uid);
  await until(
    "it says what it waits for",
    async () => /EVAL of client 127/.test((await read(uid)).waiting_for),
    PATIENCE,
  );
  assert.deepEqual([(await read(uid)).epoch, status], [epoch, "active"]);
  const began = performance.now();
  assert.equal(await other.ask("SCRIPT", "KILL"), "OK");
  assertWithin(1_000, performance.now() - began, "SCRIPT KILL is answered");
  assert.match(String(plain(await runaway.read())), /killed by user/);
  await until("the primary has moved", async () => (await read(uid)).epoch > epoch, PATIENCE);
  assert.equal((await read(uid)).running_script, undefined);
  assert.deepEqual((await read(uid)).loss_reports, []);
  await takeBack(node);
});

await test("a script that has written is given up with its engine: a replica takes over without what it wrote", async () => {
  const { uid, port } = await cluster.create({ name: "written", memory_size: 20_000_000, replication: true });
  const [runaway, other] = [await client(1, port), await client(2, port)];
  await other.ask("SET", "before", "1");
  await until("the replica may succeed", async () => mayBeSucceeded(await cluster.shards(uid)), PATIENCE);
  runaway.send("EVAL", WRITES_AND_RUNS, 0);
  await until("it is reported", async () => (await read(uid)).running_script !== undefined, PATIENCE);
  assert.match(String(await other.ask("SCRIPT", "KILL")), /^-UNKILLABLE/);
  const node = nodeOf(primaryOf(await cluster.shards(uid)));
  const { epoch } = await read(uid);
  await cluster.stop(node);
  await until("a replica serves", async () => (await read(uid)).epoch > epoch, PATIENCE);
  const again = await client(node === 1 ? 2 : 1, port);
  assert.deepEqual([await again.ask("GET", "before"), await again.ask("GET", "written")], ["1", null]);
  await cluster.start(node);
});

function read(uid: number): Promise<BdbRecord> {
  return cluster.client.call("bdb", { params: { uid } });
}

/** Each copy is in sync, and the node of the primary has said last that one replica is: it cannot while the script runs. */
function mayBeSucceeded(shards: readonly ShardInstanceRecord[]): boolean {
  const { bdb_uid: bdb, node_uid: node } = primaryOf(shards);
  const said = cluster
    .log(Number(node))
    .split("\n")
    .findLast((line) => line.includes('"replicas in sync"') && line.includes(`"bdb":${bdb},`));
  return shards.length === 2 && shards.every(({ in_sync }) => in_sync) && /"members":\[\d+\]/.test(said ?? "");
}

function client(node: number, port: number): Promise<RawClient> {
  return RawClient.connect({ host: cluster.address(node), port });
}

/** Asks for the maintenance of the node of the primary; its uid. */
async function leave(bdb: number): Promise<number> {
  const uid = nodeOf(primaryOf(await cluster.shards(bdb)));
  await cluster.client.call("maintenanceOn", { params: { uid }, body: { demote_node: true } });
  return uid;
}

async function takeBack(uid: number): Promise<void> {
  await cluster.client.call("maintenanceOff", { params: { uid } });
  await until(
    "the node is in service",
    async () => !(await cluster.client.call("node", { params: { uid } })).maintenance,
    PATIENCE,
  );
}
