import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ACCESS_KEY, NODE_PATHS } from "../../src/core/api/names.ts";
import { callEngine } from "../../src/ports/resp/engine-client.ts";
import { parseInfo } from "../../src/ports/resp/info.ts";
import { textOf } from "../../src/ports/resp/reply.ts";
import { startLedger } from "../kit/load/load-ledger.ts";
import { until } from "#kit/testing/until";
import { startTestCluster } from "../kit/world/cluster.ts";
import { enginesOf, internalPasswordOf } from "../kit/world/engine-access.ts";
import { kubeOf, readRecord } from "../kit/world/records.ts";
import { nodeOf, primaryOf } from "../kit/world/shards.ts";
import type { BdbRecord } from "../../src/ports/management/records.ts";

// The password by which nodes reach engines follows that of the management API, which the operator writes into `access.json`.

const PATIENCE = { withinMs: 60_000, everyMs: 50 };
const NODES = [1, 2, 3];

await using cluster = await startTestCluster();
using kube = kubeOf(cluster);

await test("engines get another password under load, and the former one is refused", async () => {
  const bdb = await make("rotated");
  await using ledger = await load(bdb);
  const before = await internalPasswordOf(cluster, bdb.uid);
  const synced = await syncs(bdb.uid);
  replacePassword();
  await untilEnded(bdb.uid);
  const after = await internalPasswordOf(cluster, bdb.uid);
  assert.notEqual(after, before);
  await untilRefused(bdb.uid, before);
  assert.deepEqual(await answers(bdb.uid, after), ["accepted", "accepted"]);
  assert.deepEqual(await syncs(bdb.uid), synced, "the replica stayed attached");
  for (const engine of await enginesOf(cluster, bdb.uid)) await callEngine(engine, "CLIENT", "KILL", "TYPE", "replica");
  const isBack = async (): Promise<boolean> => (await syncs(bdb.uid)).partial > synced.partial;
  await until("a replica whose link was cut is back", isBack, PATIENCE);
  assert.equal((await syncs(bdb.uid)).full, synced.full, "without taking in all data");
  const { failed, lost, requests, complaints } = await ledger.stop();
  assert.deepEqual([failed, lost], [0, 0], complaints.join("; "));
  assert.ok(requests > 100, `${requests} requests`);
  for (const node of NODES) for (const password of [before, after]) assert.ok(!cluster.log(node).includes(password));
});

await test("a node that stands still keeps it up, and is named; killed and started again, it goes on", async () => {
  const bdb = await make("half-way");
  await using ledger = await load(bdb);
  const before = await internalPasswordOf(cluster, bdb.uid);
  const replica = (await cluster.shards(bdb.uid)).find(({ role }) => role === "slave");
  const node = Number(replica?.node_uid);
  await cluster.freeze(node);
  replacePassword();
  const waits = async (): Promise<string> =>
    (await cluster.client.call("bdb", { params: { uid: bdb.uid } })).waiting_for ?? "";
  const isNamed = async (): Promise<boolean> =>
    (await waits()).includes(`another password at its engines waits for the engine on node ${node}`);
  await until("it waits for the node", isNamed, PATIENCE);
  assert.equal((await readRecord(kube, cluster, bdb.uid)).passwords?.rotation?.state, "offered");
  await cluster.kill(node);
  await cluster.start(node);
  await untilEnded(bdb.uid);
  await untilRefused(bdb.uid, before);
  const { failed, lost, complaints } = await ledger.stop();
  assert.deepEqual([failed, lost], [0, 0], complaints.join("; "));
});

/** Each node closes its engine to the former password when it reads that the change is over. */
async function untilRefused(bdb: number, password: string): Promise<void> {
  const isRefused = async (): Promise<boolean> =>
    (await answers(bdb, password)).every((answer) => answer === "refused");
  await until("the former one is refused", isRefused, PATIENCE);
}

/** What the operator does once the next password of the management API is in use. */
function replacePassword(): void {
  const current = { username: "admin@test", password: "test-password" };
  const since = new Date().toISOString();
  for (const node of NODES) {
    const file = join(cluster.root(node), NODE_PATHS.tls, ACCESS_KEY);
    writeFileSync(file, JSON.stringify({ revision: 1, current, since }));
  }
}

function make(name: string): Promise<BdbRecord> {
  return cluster.create({ name, memory_size: 20_000_000, replication: true, redis_version: "7.2" });
}

/** At the endpoint beside the primary. */
async function load({ uid, port }: BdbRecord) {
  const host = cluster.address(nodeOf(primaryOf(await cluster.shards(uid))));
  return startLedger({ host, port, connections: 8, pauseMs: 2 });
}

async function untilEnded(uid: number): Promise<void> {
  const isEnded = async (): Promise<boolean> =>
    (await readRecord(kube, cluster, uid)).passwords?.rotation?.state === "ended";
  await until("the former password has ended", isEnded, PATIENCE);
}

/** Of each engine to a login of the cluster. */
async function answers(uid: number, password: string): Promise<readonly string[]> {
  const engines = await enginesOf(cluster, uid);
  return Promise.all(
    engines.map((engine) =>
      callEngine({ ...engine, logins: [{ user: "store", password }] }, "PING").then(
        () => "accepted",
        (error: unknown) => (/WRONGPASS/.test(String(error)) ? "refused" : String(error)),
      ),
    ),
  );
}

/** How often replicas have taken in all data, and how often they went on where they were. */
async function syncs(uid: number): Promise<{ readonly full: number; readonly partial: number }> {
  const shards = await cluster.shards(uid);
  const engines = await enginesOf(cluster, uid);
  const primary = engines[shards.indexOf(primaryOf(shards))];
  assert.ok(primary !== undefined);
  const stats = parseInfo(textOf(await callEngine(primary, "INFO", "stats")));
  return { full: Number(stats.get("sync_full")), partial: Number(stats.get("sync_partial_ok")) };
}
