import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { slotOf } from "../../src/core/slots/slot.ts";
import { callEngine, connectEngine } from "../../src/ports/resp/engine-client.ts";
import type { BdbChange } from "../../src/ports/management/records.ts";
import { startLedger, type Ledger } from "../kit/load/load-ledger.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { enginesOf } from "../kit/world/engine-access.ts";
import { licenseCluster } from "../kit/world/licensed.ts";
import { kubeOf, readRecord } from "../kit/world/records.ts";
import { awaitShards } from "../kit/world/reshaping.ts";
import { makeSharded } from "../kit/world/sharded-database.ts";

// A database gets another number of shards while clients write by all nodes: no request fails, and no write is lost.

const NODES = [1, 2, 3];
const KEYS = Array.from({ length: 300 }, (_, key) => `key ${key}`);
const PATIENCE = { withinMs: 120_000, everyMs: 50 };

await using cluster = await startTestCluster();
using kube = kubeOf(cluster);
await licenseCluster(cluster, kube, 20, 20_000);
const uid = await makeSharded(cluster, {
  name: "grows",
  shards: 1,
  memoryBytes: 100_000_000,
  storeVersion: "7.2",
  replication: true,
});
const { port } = await cluster.client.call("bdb", { params: { uid } });

await test("keys of each type are there", async () => {
  const client = await connectEngine({ host: cluster.address(1), port, timeoutMs: 5_000 });
  await Promise.all(KEYS.map((key) => client.call("SET", key, "value")));
  await client.call("HSET", "a hash", "field", "value");
  await client.call("RPUSH", "a list", "one", "two");
  await client.call("SET", "ends", "value", "EX", "3600");
  client.close();
});

await test("one shard becomes four and then three under load: nothing failed, nothing lost", async () => {
  await using stack = new AsyncDisposableStack();
  const ledgers: Ledger[] = [];
  for (const node of NODES) {
    const at = { host: cluster.address(node), port };
    ledgers.push(stack.use(await startLedger({ ...at, connections: 6, pauseMs: 5 })));
  }
  await becomes(4);
  await becomes(3);
  for (const ledger of ledgers) {
    const { requests, failed, lost, complaints } = await ledger.stop();
    assert.ok(requests > 0);
    assert.deepEqual({ failed, lost }, { failed: 0, lost: 0 }, complaints.join("\n"));
  }
});

await test("each key is at its shard alone, with its type and its end, and every node finds it", async () => {
  const shards = await cluster.shards(uid);
  const engines = await enginesOf(cluster, uid);
  const held = await Promise.all(engines.map((engine) => callEngine(engine, "KEYS", "*")));
  for (const [at, { assigned_slots: slots }] of shards.entries()) {
    const foreign = (Array.isArray(held[at]) ? held[at] : []).map(String).filter((key) => !isAmong(key, slots));
    assert.deepEqual(foreign, []);
  }
  for (const node of NODES) {
    const client = await connectEngine({ host: cluster.address(node), port, timeoutMs: 5_000 });
    assert.deepEqual(
      await client.call("MGET", ...KEYS),
      KEYS.map(() => "value"),
    );
    assert.deepEqual(await client.call("HGETALL", "a hash"), ["field", "value"]);
    assert.deepEqual(await client.call("LRANGE", "a list", "0", "-1"), ["one", "two"]);
    const seconds = Number(await client.call("TTL", "ends"));
    assert.ok(seconds > 3_000 && seconds <= 3_600, String(seconds));
    client.close();
  }
});

await test("a key that a script wrote at the wrong shard is not left behind before a user agrees", async () => {
  const { assigned_slots: slots } = (await cluster.shards(uid))[0] ?? assert.fail();
  const [declared, misplaced] = [KEYS.find((key) => isAmong(key, slots)), KEYS.find((key) => !isAmong(key, slots))];
  const client = await connectEngine({ host: cluster.address(2), port, timeoutMs: 5_000 });
  await client.call("EVAL", "redis.call('SET', ARGV[1], 'by a script')", 1, declared ?? "", misplaced ?? "");
  assert.equal(await client.call("GET", misplaced ?? ""), "value", "its shard has another one");
  client.close();
  const body = { shards_count: 2 };
  await cluster.client.call("updateBdb", { params: { uid }, body });
  const waits = async () => (await cluster.client.call("bdb", { params: { uid } })).obstacle?.id === "KeysMisplaced";
  await until("it waits for a user", waits, PATIENCE);
  assert.equal((await readRecord(kube, cluster, uid)).shards.length, 3);
  await becomes(2, { may_discard_data: true });
  const again = await connectEngine({ host: cluster.address(2), port, timeoutMs: 5_000 });
  assert.equal(await again.call("GET", misplaced ?? ""), "value");
  again.close();
});

/** Waits until the database has so many shards, each with its replica, and the former ones are gone. */
async function becomes(shards: number, consent: Pick<BdbChange, "may_discard_data"> = {}): Promise<void> {
  await cluster.client.call("updateBdb", { params: { uid }, body: { shards_count: shards, ...consent } });
  await awaitShards(cluster, kube, uid, shards);
}

function isAmong(key: string, slots: string): boolean {
  const [from = 0, to = 0] = slots.split("-").map(Number);
  const slot = slotOf(Buffer.from(key));
  return slot >= from && slot <= to;
}
