import assert from "node:assert/strict";
import { test } from "node:test";
import type { InSyncSet } from "../../src/core/api/records.ts";
import type { SyncState } from "../../src/core/api/states.ts";
import { connectEngine } from "../../src/ports/resp/engine-client.ts";
import { startService } from "../kit/engines/service.ts";
import { startLedger } from "../kit/load/load-ledger.ts";
import { startTestCluster, type TestCluster } from "../kit/world/cluster.ts";
import { becomesInSync, crashPrimary, crashReplica, inSyncSetOf } from "../kit/world/crashes.ts";
import { filledDatabase, KEYS, type FilledDatabase } from "../kit/world/filled-database.ts";
import { knownNode } from "../kit/world/known-node.ts";
import { kubeOf } from "../kit/world/records.ts";
import { nodeOf, primaryOf } from "../kit/world/shards.ts";
import { assertWithin } from "#kit/testing/assert-within";
import { until } from "#kit/testing/until";

// A database whose replies wait for a replica: what one crash costs, what it does without a replica, and planned moves.

const PATIENCE = { withinMs: 40_000, everyMs: 20 };
const SYNC = { replication: true, durability: "sync" } as const;

await using cluster = await startTestCluster();
using kube = kubeOf(cluster);

await test("a crash of an engine, of a replica or of a node under load loses no acknowledged write", async () => {
  await using database = await filledDatabase(cluster, { name: "crashes", ...SYNC });
  const { port } = await database.active();
  await using service = await startService(port, acceptingNodes);
  await using ledger = await startLedger({ ...service, connections: 12 });
  const loseReplica = (): Promise<void> => crashReplica(kube, cluster, database.uid);
  for (const crash of [crashPrimary, loseReplica, crashNode, crashPrimary]) {
    const before = ledger.requests();
    // no reply passes until the loss of a replica is in the record, or the replica is back
    await until("clients are at work", () => ledger.requests() > before + 200, PATIENCE);
    await inSync(database);
    await crash(cluster, database.uid);
  }
  await inSync(database);
  const { lost, complaints } = await ledger.stop();
  assert.equal(lost, 0, complaints.join("; "));
  assert.deepEqual((await database.active()).loss_reports, []);
  assert.ok(Number(await database.keys()) >= KEYS);
});

await test("moves of the primary, an upgrade and a change of the setting fail no request and lose nothing", async () => {
  await using database = await filledDatabase(cluster, { name: "moves", ...SYNC, without_replica: "wait" });
  const { port } = await database.active();
  const params = { uid: database.uid };
  const node = nodeOf(primaryOf(await cluster.shards(database.uid)));
  // a node in maintenance ends its clients, and these do not connect again before they send
  const others = async () => (await acceptingNodes()).filter((host) => host !== cluster.address(node));
  await using service = await startService(port, others);
  await using ledger = await startLedger({ ...service, connections: 12 });
  await inSync(database);
  const { action_uid } = await cluster.client.call("maintenanceOn", { params: { uid: node }, body: {} });
  await completed(action_uid);
  await cluster.client.call("maintenanceOff", { params: { uid: node } });
  await inSync(database);
  await completed((await cluster.client.call("upgradeBdb", { params, body: { store_version: "8.0" } })).action_uid);
  for (const durability of ["async", "sync"] as const) {
    await database.active();
    await cluster.client.call("updateBdb", { params, body: { durability } });
    const has = async (): Promise<boolean> =>
      ((await setOf(database))?.joining === undefined) === (durability === "async");
    await until(`replies are ${durability}`, has, PATIENCE);
  }
  await inSync(database);
  const { failed, lost, longestMs, complaints } = await ledger.stop();
  assert.deepEqual([failed, lost], [0, 0], complaints.join("; "));
  assertWithin(30_000, longestMs, "each request is answered");
});

await test("without a replica in sync, replies wait or pass as the database says, and that changes while it runs", async () => {
  await using database = await filledDatabase(cluster, { name: "alone", ...SYNC, without_replica: "wait" });
  const params = { uid: database.uid };
  const client = await connectEngine({ ...(await endpointOf(database)), timeoutMs: 60_000 });
  await inSync(database);
  const replica = (await cluster.shards(database.uid)).find(({ role }) => role === "slave");
  assert.ok(replica !== undefined);
  const pid = await cluster.enginePid(replica);
  process.kill(pid, "SIGSTOP");
  let answered = false;
  const waiting = client.call("SET", "alone", "1").then(() => (answered = true));
  await until("it has left the set", async () => (await setOf(database))?.members.length === 0, PATIENCE);
  assert.equal(answered, false, "no reply without a replica");
  // the node that is asked may not have read the record yet
  const isShown = (state: SyncState) =>
    until(
      `${state} is shown`,
      async () => (await cluster.client.call("bdb", { params })).sync_state === state,
      PATIENCE,
    );
  await isShown("withheld");
  await cluster.client.call("updateBdb", { params, body: { without_replica: "degrade" } });
  await waiting;
  await isShown("degraded");
  process.kill(pid, "SIGCONT");
  await inSync(database);
  await isShown("in-sync");
  assert.equal(await client.call("GET", "alone"), "1");
  client.close();
});

await test("replies cannot wait for replicas where there are none", async () => {
  const body = { name: "single", memory_size: 20_000_000, durability: "sync" } as const;
  await assert.rejects(cluster.client.call("createBdb", { body }), /has none without replication/);
});

await test("replies do not begin to wait while a node of an older release is known, also one that is away: it would let them pass when it is back", async () => {
  await using database = await filledDatabase(cluster, { name: "later", replication: true });
  await using _node = await knownNode(cluster, { uid: 9, without: ["sync-replies"] });
  const isAway = async () =>
    (await cluster.client.call("nodes")).some(({ uid, status }) => uid === 9 && status === "down");
  await until("it is away", isAway, PATIENCE);
  await assert.rejects(
    cluster.client.call("updateBdb", { params: { uid: database.uid }, body: { durability: "sync" } }),
    /no node of an older release lets replies wait for replicas: node 9/,
  );
});

async function endpointOf({ uid }: FilledDatabase): Promise<{ readonly host: string; readonly port: number }> {
  const { port } = await cluster.client.call("bdb", { params: { uid } });
  return { host: cluster.address(nodeOf(primaryOf(await cluster.shards(uid)))), port };
}

async function completed(action: string): Promise<void> {
  const isDone = async (): Promise<boolean> => {
    const { status } = await cluster.client.call("action", { params: { uid: action } });
    assert.notEqual(status, "failed");
    return status === "completed";
  };
  await until(`action ${action} is completed`, isDone, PATIENCE);
}

async function crashNode(_cluster: TestCluster, uid: number): Promise<void> {
  const params = { uid };
  const { epoch } = await cluster.client.call("bdb", { params });
  const node = nodeOf(primaryOf(await cluster.shards(uid)));
  await cluster.kill(node);
  const hasMoved = async () => (await cluster.client.call("bdb", { params })).epoch > epoch;
  await until("a replica has taken over", hasMoved, PATIENCE);
  await cluster.start(node);
}

function inSync({ uid }: FilledDatabase): Promise<void> {
  return becomesInSync(kube, cluster, uid);
}

function setOf({ uid }: FilledDatabase): Promise<InSyncSet | undefined> {
  return inSyncSetOf(kube, cluster, uid);
}

/** As a Service would: each connection goes to a node that accepts clients. */
async function acceptingNodes(): Promise<readonly string[]> {
  const nodes = await cluster.client.call("nodes");
  return nodes.filter((node) => node.accepts_clients && !node.maintenance).map(({ addr }) => addr);
}
