import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { slotOf } from "../../src/core/slots/slot.ts";
import { callEngine, connectEngine, type EngineClient } from "../../src/ports/resp/engine-client.ts";
import { faults } from "../../src/ports/resp/faults.ts";
import { isFault } from "#kit/base/fault";
import type { ShardInstanceRecord } from "../../src/ports/management/records.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { enginesOf } from "../kit/world/engine-access.ts";
import { acceptsClients } from "../kit/world/filled-database.ts";
import { licenseCluster } from "../kit/world/licensed.ts";
import { kubeOf, readRecord } from "../kit/world/records.ts";
import { hasRecord, isActive, makeSharded } from "../kit/world/sharded-database.ts";
import { nodeOf } from "../kit/world/shards.ts";

// A database of four shards: whatever happens to one of them, each key is where it was, and the others serve.

const SHARDS = 4;
const KEYS = 400;
const KEYS_HERE = Array.from({ length: KEYS }, (_, key) => `key ${key}`);
const PATIENCE = { withinMs: 60_000, everyMs: 50 };

// primaries of one database move one after the other, and clients have to be served between two moves
await using cluster = await startTestCluster({ graceSeconds: 90 });
using kube = kubeOf(cluster);
await licenseCluster(cluster, kube, 20, 20_000);
const asked = {
  name: "many",
  shards: SHARDS,
  memoryBytes: 100_000_000,
  storeVersion: "7.2",
  replication: true,
} as const;
const uid = await makeSharded(cluster, asked);
const { port } = await cluster.client.call("bdb", { params: { uid } });

await test("shards are where they should be, and each has its slots and its share of the memory", async () => {
  const shards = await cluster.shards(uid);
  assert.equal(shards.length, 2 * SHARDS);
  const primaries = shards.filter(({ role }) => role === "master");
  assert.deepEqual(
    primaries.map(({ assigned_slots: slots }) => slots),
    ["0-4095", "4096-8191", "8192-12287", "12288-16383"],
  );
  assert.equal(new Set(primaries.map(nodeOf)).size, 3, "primaries are on all nodes");
  const limits = await onEach("CONFIG", "GET", "maxmemory");
  assert.deepEqual(
    limits,
    limits.map(() => ["maxmemory", "25000000"]),
  );
});

await test("every key is at one shard, and at its replica", async () => {
  const client = await connectEngine({ host: cluster.address(1), port, timeoutMs: 60_000 });
  await Promise.all(KEYS_HERE.map((key) => client.call("SET", key, "value")));
  assert.equal(await client.call("WAIT", "1", "0"), 1, "the replica of each shard has them");
  client.close();
  await everyKeyIsThere();
});

await test("a shard that loses its primary fails over, and no other does", async () => {
  const [first, ...others] = await epochs();
  const [victim] = (await cluster.shards(uid)).filter(({ role }) => role === "master");
  assert.ok(victim !== undefined && first !== undefined);
  await whileWriting([1, 2, 3], "may be cut", async () => {
    process.kill(await cluster.enginePid(victim), "SIGKILL");
    await until("it has another primary", async () => ((await epochs())[0] ?? 0) > first, PATIENCE);
  });
  assert.deepEqual((await epochs()).slice(1), others);
  await everyKeyIsThere();
});

await test("a node that is lost takes no key with it, whichever shards it had", async () => {
  const node = await fullestNode();
  const others = [1, 2, 3].filter((one) => one !== node);
  await whileWriting(others, "may be cut", async () => {
    await cluster.kill(node);
    await until("all primaries are on other nodes", async () => (await primariesOn(node)) === 0, PATIENCE);
  });
  await cluster.start(node);
  await everyKeyIsThere();
});

await test("an upgrade moves each shard to the next version", async () => {
  await whileWriting([1, 2, 3], "see nothing", async () => {
    await cluster.client.call("upgradeBdb", { params: { uid }, body: { store_version: "8.0" } });
    const isUpgraded = async (): Promise<boolean> =>
      (await isActive(cluster, uid)) && (await cluster.shards(uid)).every((one) => one.redis_version === "8.0");
    await until("every engine is of the next version", isUpgraded, { withinMs: 120_000, everyMs: 50 });
  });
  await everyKeyIsThere();
});

await test("each node in turn is left by its primaries, replaced, and taken back", async () => {
  for (const node of [1, 2, 3]) {
    const others = [1, 2, 3].filter((one) => one !== node);
    await whileWriting(others, "see nothing", async () => {
      await cluster.stop(node);
      assert.equal(await primariesOn(node), 0);
      await cluster.start(node);
    });
    await everyKeyIsThere();
  }
});

await test("a database that is deleted leaves no engine", async () => {
  const pids = await Promise.all((await cluster.shards(uid)).map((shard) => cluster.enginePid(shard)));
  await cluster.client.call("deleteBdb", { params: { uid } });
  await until("its record is gone", async () => !(await hasRecord(cluster, kube, uid)), PATIENCE);
  await until("its engines have ended", () => Promise.resolve(!pids.some(isRunning)), PATIENCE);
});

async function primaries(): Promise<readonly ShardInstanceRecord[]> {
  return (await cluster.shards(uid)).filter(({ role }) => role === "master");
}

async function primariesOn(node: number): Promise<number> {
  return (await primaries()).filter((one) => nodeOf(one) === node).length;
}

async function epochs(): Promise<readonly number[]> {
  return (await readRecord(kube, cluster, uid)).shards.map(({ epoch }) => epoch);
}

async function fullestNode(): Promise<number> {
  const nodes = (await primaries()).map(nodeOf);
  const count = (node: number): number => nodes.filter((one) => one === node).length;
  return [1, 2, 3].toSorted((one, other) => count(other) - count(one))[0] ?? 0;
}

async function onEach(...args: readonly string[]): Promise<readonly unknown[]> {
  return Promise.all((await enginesOf(cluster, uid)).map((engine) => callEngine(engine, ...args)));
}

/** Each shard has its replica in sync; both have the keys of its slots and no others; and each endpoint counts all of them. */
async function everyKeyIsThere(): Promise<void> {
  const isCopied = async (): Promise<boolean> => {
    const shards = await cluster.shards(uid);
    return (await isActive(cluster, uid)) && shards.length === 2 * SHARDS && shards.every(({ in_sync }) => in_sync);
  };
  await until("each shard has a copy in sync", isCopied, PATIENCE);
  const shards = await cluster.shards(uid);
  const held = (await onEach("KEYS", "*")).map((keys) => (Array.isArray(keys) ? keys.map(String).toSorted() : []));
  for (const [at, { assigned_slots: slots, uid: shard }] of shards.entries())
    assert.deepEqual(held[at], KEYS_HERE.filter((key) => isAmong(key, slots)).toSorted(), `shard ${shard}: ${slots}`);
  assert.deepEqual(await sizesAtEndpoints(), [KEYS, KEYS, KEYS]);
}

function isAmong(key: string, slots: string): boolean {
  const [from = 0, to = 0] = slots.split("-").map(Number);
  const slot = slotOf(Buffer.from(key));
  return slot >= from && slot <= to;
}

/** What a client of each node counts; waits until each node lets clients in. */
async function sizesAtEndpoints(): Promise<readonly unknown[]> {
  const endpoints = [1, 2, 3].map((node) => ({ host: cluster.address(node), port, timeoutMs: 20_000 }));
  const areOpen = async (): Promise<boolean> => (await Promise.all(endpoints.map(acceptsClients))).every(Boolean);
  await until("each endpoint accepts clients", areOpen, PATIENCE);
  return Promise.all(endpoints.map((endpoint) => callEngine(endpoint, "DBSIZE")));
}

/** What a client may see while something happens: nothing, or an end of its connection where an engine ends with requests of it. */
type Clients = "see nothing" | "may be cut";

/**
 * Clients of these nodes write all keys again and again while `act` runs. Each reply has to be OK, and each key has what was written last. A client
 * that was cut writes the same again.
 */
async function whileWriting(nodes: readonly number[], clients: Clients, act: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const writers = Promise.all(nodes.map((node) => writeUntil(stop.signal, node, clients)));
  try {
    await act();
  } finally {
    stop.abort();
  }
  assert.ok(Math.min(...(await writers)) > 0, "something was written meanwhile");
}

/** Each client has keys of its own; how often it has written all of them. */
async function writeUntil(signal: AbortSignal, node: number, clients: Clients): Promise<number> {
  const own = KEYS_HERE.filter((_, at) => at % 3 === node - 1);
  let rounds = 0;
  while (!signal.aborted) {
    const client = await connectEngine({ host: cluster.address(node), port, timeoutMs: 30_000 });
    try {
      for (; !signal.aborted; rounds += 1) await writeRound(client, own, `${node} ${rounds}`);
    } catch (error) {
      if (clients === "see nothing" || !isFault(error, faults.closed))
        throw new Error(cutsText(node), { cause: error });
    }
    client.close();
  }
  return rounds;
}

/** What the proxy of the node says of clients that it has cut. */
function cutsText(node: number): string {
  const lines = cluster.log(node).split("\n");
  return `a client of node ${node} was cut: ${lines.filter((line) => / cut/.test(line)).join("\n")}`;
}

async function writeRound(client: EngineClient, keys: readonly string[], value: string): Promise<void> {
  const replies = await Promise.all(keys.map((key) => client.call("SET", key, value)));
  assert.deepEqual(new Set(replies.map(String)), new Set(["OK"]));
  assert.deepEqual(
    await client.call("MGET", ...keys),
    keys.map(() => value),
  );
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // it has ended
  }
}
