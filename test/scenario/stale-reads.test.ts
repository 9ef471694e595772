import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "#kit/testing/until";
import { callEngine, connectEngine, type EngineClient } from "../../src/ports/resp/engine-client.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { enginesOf } from "../kit/world/engine-access.ts";
import { kubeOf, readRecord } from "../kit/world/records.ts";
import { childrenOf } from "../kit/world/reshaping.ts";
import { nodeOf, primaryOf } from "../kit/world/shards.ts";
import { untilSettled } from "../kit/world/maintenance.ts";
import { STORE } from "../kit/programs.ts";

// The proxy of a node is killed while the primary of a database moves, and its agent does not see what becomes of the move: the Kubernetes API is away.

const PATIENCE = { withinMs: 60_000, everyMs: 20 };
const NODES = [1, 2, 3];
/** Long enough for an answer on its way, and less than a move takes from its intent to the promotion. */
const KNOWN_MS = 15;

await using cluster = await startTestCluster();
using kube = kubeOf(cluster);
const { uid, port } = await cluster.create({ name: "stale", memory_size: 50_000_000, replication: true });

await test("a proxy that starts in the middle of a move never shows what was there before the writes that other proxies have acknowledged", async () => {
  await untilSettled(cluster, uid);
  const shards = await cluster.shards(uid);
  const from = nodeOf(primaryOf(shards));
  const leader = await cluster.leader();
  const [read = 0] = NODES.filter((node) => node !== from && node !== leader);
  const [write = 0] = NODES.filter((node) => node !== from && node !== read);
  const engines = await enginesOf(cluster, uid);
  const next = engines[shards.findIndex(({ role }) => role !== "master")];
  assert.ok(next !== undefined);
  const writer = await clientAt(write);
  await writer.call("SET", "k", "old");
  await cluster.client.call("maintenanceOn", { params: { uid: from }, body: { demote_node: true } });
  const hasBegun = async (): Promise<boolean> =>
    (await readRecord(kube, cluster, uid)).shards.some(({ switchover }) => switchover !== undefined);
  await until("the move has begun", hasBegun, { withinMs: 60_000, everyMs: 1 });
  // the leader knows that it is written; from now on it needs no record until the next primary serves
  await sleep(KNOWN_MS);
  for (const node of NODES) cluster.api(node).cut("drop");
  const isPromoted = async (): Promise<boolean> =>
    String(await callEngine(next, "INFO", "replication")).includes("role:master");
  await until("the next primary is promoted", isPromoted, { withinMs: 5_000, everyMs: 5 });
  const killed = proxyOf(read);
  if (killed !== undefined) process.kill(killed, "SIGKILL");
  await writer.call("SET", "k", "new");
  await until("another proxy serves", async () => isOther(proxyOf(read), killed) && (await serves(read)), PATIENCE);
  const reader = await clientAt(read);
  for (let times = 0; times < 100; times += 1) {
    const written = String(times);
    await writer.call("SET", "k", written);
    assert.equal(await reader.call("GET", "k"), written);
  }
  for (const node of NODES) cluster.api(node).mend();
  for (const client of [writer, reader]) client.close();
  await untilSettled(cluster, uid);
});

function clientAt(node: number): Promise<EngineClient> {
  return connectEngine({ host: cluster.address(node), port, timeoutMs: 30_000 });
}

function isOther(pid: number | undefined, killed: number | undefined): boolean {
  return pid !== undefined && pid !== killed;
}

async function serves(node: number): Promise<boolean> {
  try {
    const client = await clientAt(node);
    await client.call("PING");
    client.close();
    return true;
  } catch {
    return false; // it does not listen yet
  }
}

function proxyOf(node: number): number | undefined {
  return childrenOf(cluster, node).find(({ command }) => command.includes(`${STORE} proxy`))?.pid;
}
