import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { GRANT_MS, NODE_LEASE_MS } from "../../src/core/planner/node/grant.ts";
import { startLedger, type Ledger } from "../kit/load/load-ledger.ts";
import { until } from "#kit/testing/until";
import { startTestCluster } from "../kit/world/cluster.ts";
import { nodeOf, primaryOf } from "../kit/world/shards.ts";

/** Longer than a lease and everything that rests on it. */
const PAST_LEASES_MS = 12_000;
const PATIENCE = { withinMs: 60_000, everyMs: 50 };

await using cluster = await startTestCluster();
const { uid, port } = await cluster.create({ name: "away", memory_size: 50_000_000, replication: true });

await test("with the API away for every node and one of three nodes down, the databases of the others go on", async () => {
  await whole();
  const primary = await primaryNode();
  const [lost = 0] = [1, 2, 3].filter((node) => node !== primary);
  const others = [1, 2, 3].filter((node) => node !== lost);
  await using load = await startLoad(others);
  for (const node of [1, 2, 3]) cluster.api(node).cut("drop");
  await cluster.kill(lost);
  await passes(load);
  assert.equal(await primaryNode(), primary);
  for (const node of [1, 2, 3]) cluster.api(node).mend();
  await cluster.start(lost);
  await whole();
  await nothingFailed(load);
});

await test("with the API away for every node, nodes that stood still past all their grants go on by each other's word", async () => {
  await whole();
  const primary = await primaryNode();
  await using load = await startLoad([1, 2, 3]);
  const cannotRenew = eachSays("the node's lease cannot be renewed");
  const isOut = eachSays("cut off: no write is acknowledged");
  for (const node of [1, 2, 3]) cluster.api(node).cut("drop");
  // an answer that is still under way would be read after the pause, and prove that the API was there meanwhile
  await until("no renewal is under way", cannotRenew, PATIENCE);
  for (const node of [1, 2, 3]) await cluster.freeze(node);
  await sleep(GRANT_MS);
  for (const node of [1, 2, 3]) cluster.thaw(node);
  await until("each of them has been out", isOut, PATIENCE);
  await passes(load);
  assert.equal(await primaryNode(), primary);
  for (const node of [1, 2, 3]) cluster.api(node).mend();
  await whole();
  await nothingFailed(load);
});

await test("a node that only the API does not reach serves on, and hands its primaries over to another one", async () => {
  await whole();
  const primary = await primaryNode();
  await using load = await startLoad([1, 2, 3]);
  cluster.api(primary).cut("drop");
  // the node itself reads no records, and asks another one
  const asked = cluster.clientOf(primary);
  const hasMoved = async (): Promise<boolean> =>
    nodeOf(primaryOf(await asked.call("bdbShards", { params: { uid } }))) !== primary;
  await until("another node has the primary", hasMoved, PATIENCE);
  await asked.close();
  const after = load.requests();
  await until("clients of every node go on", () => load.requests() > after + 600, PATIENCE);
  cluster.api(primary).mend();
  await whole();
  await nothingFailed(load);
});

/** Whether each node has written this text into its log since now. */
function eachSays(text: string): () => boolean {
  const times = (node: number): number => cluster.log(node).split(text).length;
  const before = new Map([1, 2, 3].map((node) => [node, times(node)]));
  return () => [...before].every(([node, count]) => times(node) > count);
}

interface Load extends AsyncDisposable {
  requests(): number;
  readonly ledgers: readonly Ledger[];
}

/** Clients of each of these nodes, which write without a pause. */
async function startLoad(nodes: readonly number[]): Promise<Load> {
  await using stack = new AsyncDisposableStack();
  const ledgers: Ledger[] = [];
  for (const node of nodes)
    ledgers.push(stack.use(await startLedger({ host: cluster.address(node), port, connections: 4, pauseMs: 5 })));
  const requests = (): number => ledgers.reduce((sum, ledger) => sum + ledger.requests(), 0);
  await until("clients of every node write", () => ledgers.every((ledger) => ledger.requests() > 100));
  const owned = stack.move();
  return { requests, ledgers, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Clients go on until every lease and grant of the beginning has ended, without a pause of a second. */
async function passes(load: Load): Promise<void> {
  const began = performance.now();
  while (performance.now() - began < PAST_LEASES_MS) {
    const before = load.requests();
    await until("clients go on", () => load.requests() > before + 10, { withinMs: 2_000 });
  }
}

async function nothingFailed(load: Load): Promise<void> {
  for (const report of await Promise.all(load.ledgers.map((ledger) => ledger.stop())))
    assert.deepEqual([report.failed, report.lost], [0, 0], report.complaints.join("\n"));
}

async function primaryNode(): Promise<number> {
  return nodeOf(primaryOf(await cluster.shards(uid)));
}

/** Every node is a member, and has been for long enough to vote; the replica is in sync. */
async function whole(): Promise<void> {
  const isWhole = async (): Promise<boolean> => {
    const nodes = await cluster.client.call("nodes");
    const shards = await cluster.shards(uid);
    return (
      nodes.every(({ status, accepts_clients }) => status === "active" && accepts_clients) &&
      nodes.every(({ uptime }) => uptime * 1_000 > NODE_LEASE_MS) &&
      shards.length === 2 &&
      shards.every(({ in_sync }) => in_sync)
    );
  };
  await until("the cluster is whole", isWhole, PATIENCE);
}
