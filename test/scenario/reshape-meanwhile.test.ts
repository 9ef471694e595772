import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import type { DatabaseRecord } from "../../src/core/api/records.ts";
import { connectEngine } from "../../src/ports/resp/engine-client.ts";
import type { EngineTls } from "../../src/ports/resp/engine-tls.ts";
import { clientTls, secured } from "../kit/tls/secured-endpoint.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { licenseCluster } from "../kit/world/licensed.ts";
import { kubeOf, readRecord } from "../kit/world/records.ts";
import { childrenOf, awaitShards, startLoadAt, type LoadByNodes } from "../kit/world/reshaping.ts";
import { hasRecord, makeSharded } from "../kit/world/sharded-database.ts";
import { STORE } from "../kit/programs.ts";

// What users do while a database gets another number of shards: they take it back, empty it, send a node into maintenance, delete it. No request fails, and no write is lost.

const NODES = [1, 2, 3];
const PATIENCE = { withinMs: 180_000, everyMs: 20 };
const KEYS = 20_000;
const AT_ONCE = 1_000;

await using cluster = await startTestCluster();
using kube = kubeOf(cluster);
await licenseCluster(cluster, kube, 40, 20_000);
const uid = await makeSharded(cluster, {
  name: "grows",
  shards: 1,
  memoryBytes: 160_000_000,
  storeVersion: "7.2",
  replication: true,
  durability: "sync",
});
const { port } = await cluster.client.call("bdb", { params: { uid } });
await fill("before");

await test("the former number that is asked for in the middle is kept, and clients notice nothing", async () => {
  await using load = await startLoad(port);
  await ask(4);
  await copies();
  await ask(1);
  await becomes(1);
  assert.deepEqual(await load.end(), { failed: 0, lost: 0 });
});

await test("a node that goes into maintenance in the middle is left, and the shards are made when it is back", async () => {
  const node = 3;
  await using load = await startLoad(port, { nodes: NODES.filter((one) => one !== node) });
  await ask(2);
  await copies();
  await cluster.client.call("maintenanceOn", { params: { uid: node }, body: { demote_node: true } });
  const isLeft = async (): Promise<boolean> => {
    const action = await cluster.client.call("nodeAction", { params: { uid: node, action: "maintenance_on" } });
    return action.status === "completed";
  };
  await until("the node is left", isLeft, PATIENCE);
  await cluster.client.call("maintenanceOff", { params: { uid: node } });
  await becomes(2);
  assert.deepEqual(await load.end(), { failed: 0, lost: 0 });
});

await test("the node that copies is taken away in the middle, as by another number of pods, and the shards are made when it is back", async () => {
  await ask(4);
  await copies();
  const node = (await record()).reshape?.mover.node ?? 0;
  await using load = await startLoad(port, { nodes: NODES.filter((one) => one !== node) });
  await cluster.stop(node);
  const { shards, reshape } = await record();
  assert.deepEqual([shards.length, reshape], [2, undefined], "they are not made without it");
  await cluster.start(node);
  await becomes(4);
  assert.deepEqual(await load.end(), { failed: 0, lost: 0 });
});

await test("a database that is emptied in the middle stays empty but for what is written after it", async () => {
  await ask(3);
  await copies();
  const client = await connectEngine({ host: cluster.address(2), port, timeoutMs: 10_000 });
  assert.equal(await client.call("FLUSHALL"), "OK");
  await Promise.all(Array.from({ length: AT_ONCE }, (_, key) => client.call("SET", `after ${key}`, "v")));
  await becomes(3);
  assert.equal(await client.call("DBSIZE"), AT_ONCE);
  client.close();
});

await test("one becomes four, three, eight and one under load", async () => {
  await using load = await startLoad(port);
  for (const shards of [1, 4, 3, 8, 1]) {
    await ask(shards);
    await becomes(shards);
  }
  assert.deepEqual(await load.end(), { failed: 0, lost: 0 });
});

await test("clients that speak TLS are served by the new shards", async () => {
  const body = { name: "hidden", memory_size: 100_000_000, redis_version: "7.2", replication: true } as const;
  const made = await cluster.create({ ...body, ...secured("hidden") });
  await using load = await startLoad(made.port, { tls: clientTls("hidden") });
  await ask(3, made.uid);
  await becomes(3, made.uid);
  assert.deepEqual(await load.end(), { failed: 0, lost: 0 });
  await cluster.client.call("deleteBdb", { params: { uid: made.uid } });
});

await test("a database that is deleted in the middle goes, with the engines of both sets and its mover", async () => {
  await fill("again");
  await ask(4);
  await copies();
  await cluster.client.call("deleteBdb", { params: { uid } });
  await until("its record is gone", async () => !(await hasRecord(cluster, kube, uid)), PATIENCE);
  const left = (): readonly string[] => commands().filter((command) => /-server |store\.ts mover/.test(command));
  await until("nothing of it runs", () => left().length === 0, PATIENCE).catch((error: unknown) => {
    throw new Error(left().join("\n"), { cause: error });
  });
});

function record(of = uid): Promise<DatabaseRecord> {
  return readRecord(kube, cluster, of);
}

/** Asks for so many shards, once all nodes are there: a busy machine may be late to renew a lease, and a node without one gets no engine. */
async function ask(shards: number, of = uid): Promise<void> {
  const areThere = async (): Promise<boolean> =>
    (await cluster.client.call("nodes")).every(({ status, maintenance }) => status === "active" && !maintenance);
  await until("all nodes are there", areThere, PATIENCE);
  await cluster.client.call("updateBdb", { params: { uid: of }, body: { shards_count: shards } });
}

/** Waits until keys are copied, by a mover that has begun. */
async function copies(): Promise<void> {
  const isCopying = async (): Promise<boolean> =>
    (await record()).reshape?.phase === "copy" && commands().some((command) => command.includes(`${STORE} mover`));
  await until("keys are copied", isCopying, PATIENCE);
}

/** Waits until the database has so many shards, and the former ones are gone. */
function becomes(shards: number, of = uid): Promise<void> {
  return awaitShards(cluster, kube, of, shards);
}

async function fill(name: string): Promise<void> {
  const client = await connectEngine({ host: cluster.address(1), port, timeoutMs: 10_000 });
  for (let at = 0; at < KEYS; at += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, key) => client.call("SET", `${name} ${at + key}`, "v".repeat(500))),
    );
  client.close();
}

/** Of all processes that the nodes have started. */
function commands(): readonly string[] {
  return NODES.flatMap((node) => childrenOf(cluster, node)).map(({ command }) => command);
}

/** Clients that write and read at all nodes, or at these. */
function startLoad(
  at: number,
  { nodes = NODES, ...tls }: { readonly nodes?: readonly number[]; readonly tls?: EngineTls } = {},
): Promise<LoadByNodes> {
  return startLoadAt(cluster, nodes, { port: at, ...tls });
}
