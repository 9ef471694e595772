import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { startService } from "../kit/engines/service.ts";
import { RawClient } from "../kit/engines/raw-client.ts";
import { libraries } from "../kit/clients/libraries.ts";
import { startRecorder, type Recorder } from "../kit/clients/recorders.ts";
import { check } from "../kit/linearizability/check.ts";
import { allowResends, byKey, type Operation } from "../kit/linearizability/history.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { knownNode } from "../kit/world/known-node.ts";
import { licenseCluster } from "../kit/world/licensed.ts";
import { acceptingNodes, comeBack, evacuate, untilSettled } from "../kit/world/maintenance.ts";
import { kubeOf, readRecord } from "../kit/world/records.ts";
import { isActive } from "../kit/world/sharded-database.ts";
import { nodeOf, primaryOf } from "../kit/world/shards.ts";

const PATIENCE = { withinMs: 180_000, everyMs: 50 };
/** The settings of the clients: they send again what had no answer. */
const SENT_AGAIN_AFTER_MS = 10_000;

/** A transaction is not sent again when the node of its connection is left, nor is any request of node-redis in cluster mode. */
const givesUp = ({ client, act }: Operation): boolean =>
  client === "node-redis-cluster" || (/^(node|go)-redis/.test(client) && act.kind === "exchange");

/** Of all clients so far: keys are those of the same few seconds. */
const before: Operation[] = [];
const { found, missing } = await libraries(["ioredis", "node-redis", "redis-py", "go-redis"]);

await using cluster = await startTestCluster();
using kube = kubeOf(cluster);
await licenseCluster(cluster, kube, 20, 20_000);
const { uid, port } = await cluster.create({
  name: "clustered",
  memory_size: 200_000_000,
  shards_count: 1,
  replication: true,
  oss_cluster: true,
  redis_version: "7.2",
});
await using service = await startService(port, () => acceptingNodes(cluster));

await test("clients in cluster mode and others see one order of all operations, while primaries move and shards become others", async () => {
  await using stack = new AsyncDisposableStack();
  const recorders = startAllClients(stack);
  await atWork(recorders, 50);
  for (const change of [movePrimary, () => becomes(4), movePrimary, () => becomes(3)]) {
    await change();
    await untilStraight(recorders);
  }
  const operations = await stopAll(recorders);
  const failed = operations.filter((operation) => operation.end === undefined && !givesUp(operation));
  assert.deepEqual(failed, [], recorders.flatMap(({ failures }) => failures).join("; "));
  assertOneOrder(operations);
});

await test("the map of each node names the nodes of the primaries", async () => {
  const primaries = (await cluster.shards(uid)).filter(({ role }) => role === "master");
  const wanted = primaries.map((one) => [one.assigned_slots, cluster.address(nodeOf(one))].join(" ")).toSorted();
  for (const node of [1, 2, 3]) {
    const client = await RawClient.connect({ host: cluster.address(node), port });
    const slots = await client.ask("CLUSTER", "SLOTS");
    const rows = (Array.isArray(slots) ? slots : []) as readonly [number, number, [Buffer]][];
    assert.deepEqual(joined(rows), joined(wantedRows(wanted)), `by node ${node}`);
    client.close();
  }
});

await test("a crash of an engine loses no acknowledged write of a client in cluster mode", async () => {
  await untilSettled(cluster, uid);
  await using stack = new AsyncDisposableStack();
  const recorders = startAllClients(stack);
  await atWork(recorders, 50);
  const lost = primaryOf(await cluster.shards(uid));
  process.kill(await cluster.enginePid(lost), "SIGKILL");
  const hasFailedOver = async (): Promise<boolean> => {
    const shards = await cluster.shards(uid);
    return shards.some(({ uid: one, role }) => one === lost.uid && role === "slave") && (await isActive(cluster, uid));
  };
  await until("another engine is the primary", hasFailedOver, PATIENCE);
  await atWork(recorders, 50);
  assertOneOrder(await stopAll(recorders));
});

await test("while a node of an older release is a member, also one that is away, no database gets them: its endpoint would show no cluster", async () => {
  const change = (oss_cluster: boolean): Promise<unknown> =>
    cluster.client.call("updateBdb", { params: { uid }, body: { oss_cluster } });
  await change(false);
  const client = await RawClient.connect({ host: cluster.address(1), port });
  const isNone = async (): Promise<boolean> => /disabled$/.test(String(await client.ask("CLUSTER", "SLOTS")));
  await until("the endpoint shows no cluster", isNone, PATIENCE);
  await using _node = await knownNode(cluster, { uid: 9, without: ["cluster-clients"] });
  await assert.rejects(change(true), /endpoints of an older release show clients no cluster: node 9/);
  client.close();
});

for (const why of missing) test(`a library is missing: ${why}`, { skip: true }, () => undefined);

/** Of each library one in cluster mode, which knows one node, and one that uses the database by its Service. */
function startAllClients(stack: AsyncDisposableStack): readonly Recorder[] {
  return found.flatMap((library, at) => {
    const known = { host: cluster.address((at % 3) + 1), port };
    return [
      stack.use(startRecorder(library, known, `${library.name}-cluster`, "cluster")),
      stack.use(startRecorder(library, service, library.name)),
    ];
  });
}

/** Waits until each client has done so many more operations. */
async function atWork(recorders: readonly Recorder[], more: number): Promise<void> {
  const goals = recorders.map(({ operations }) => operations.length + more);
  const isDone = (): boolean => recorders.every(({ operations }, at) => operations.length >= (goals[at] ?? 0));
  await until("every client is at work", isDone, PATIENCE);
}

/** Waits until all requests of clients in cluster mode come to the nodes of their primaries. */
async function untilStraight(recorders: readonly Recorder[]): Promise<void> {
  const areStraight = async (): Promise<boolean> => {
    const before = await forwarded();
    await atWork(recorders, 30);
    return (await forwarded()) === before;
  };
  await until("no request is forwarded", areStraight, PATIENCE);
}

/** Requests of such clients so far that came to another node. */
async function forwarded(): Promise<number> {
  const stats = await cluster.client.call("bdbStatsLast", { params: { uid } });
  return Number(stats[uid]?.["forwarded_total"]);
}

async function stopAll(recorders: readonly Recorder[]): Promise<readonly Operation[]> {
  await Promise.all(recorders.map((recorder) => recorder.stop()));
  for (const recorder of recorders) for (const operation of recorder.operations) before.push(operation);
  return before;
}

function assertOneOrder(operations: readonly Operation[]): void {
  for (const [key, history] of byKey(allowResends(operations, SENT_AGAIN_AFTER_MS))) {
    const verdict = check(history);
    assert.equal(verdict.kind, "linearizable", `${key}: ${JSON.stringify(verdict, undefined, 1)}`);
  }
}

/** The node of a primary goes into maintenance and comes back. */
async function movePrimary(): Promise<void> {
  const node = nodeOf(primaryOf(await cluster.shards(uid)));
  await evacuate(cluster, node);
  await comeBack(cluster, node);
}

async function becomes(shards: number): Promise<void> {
  await untilSettled(cluster, uid);
  await cluster.client.call("updateBdb", { params: { uid }, body: { shards_count: shards } });
  const has = async (): Promise<boolean> => {
    const { shards: serve, reshape } = await readRecord(kube, cluster, uid);
    return serve.length === shards && reshape === undefined && (await isActive(cluster, uid));
  };
  await until(`it has ${shards} shards`, has, PATIENCE);
}

function wantedRows(wanted: readonly string[]): readonly [number, number, [Buffer]][] {
  return wanted.map((row) => {
    const [slots = "", host = ""] = row.split(" ");
    const [from = 0, to = 0] = slots.split("-").map(Number);
    return [from, to, [Buffer.from(host)]];
  });
}

/** Each slot's address, in short: where it changes. */
function joined(rows: readonly [number, number, readonly Buffer[] | [Buffer]][]): readonly string[] {
  const sorted = rows
    .toSorted(([one], [other]) => one - other)
    .map(([from, , place]) => {
      const [host] = place as readonly [Buffer | readonly Buffer[]];
      return [from, String(host)] as const;
    });
  return sorted.filter(([, host], at) => host !== sorted[at - 1]?.[1]).map(([from, host]) => `${from} ${host}`);
}
