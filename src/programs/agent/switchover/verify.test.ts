import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames } from "../../../../test/kit/engines/engine.ts";
import type { TestEngine } from "../../../../test/kit/engines/engine.ts";
import { startShard } from "../../../../test/kit/engines/shard.ts";
import type { TestShard } from "../../../../test/kit/engines/shard.ts";
import { untilReplicated } from "../../../../test/kit/engines/switchover.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { verifyReplica } from "./verify.ts";
import type { VerifyResult } from "./verify.ts";

const OLDEST = nameOf("redis-7");
const NEWER = nameOf("valkey-8.0");
const NEWEST = nameOf("redis-8");

test("an idle replica of another engine has the same content, fractional scores and binary keys included", async () => {
  await using shard = await startShard([OLDEST, NEWEST]);
  const [primary, replica] = pairOf(shard.engines);
  await fill(shard);
  const result = await verify(primary, replica);
  assert.deepEqual(result, { keys: 2 * 308, different: 0, examples: [], changing: 0, expired: 0, whole: true });
});

test("planted differences are found while clients write, and no busy key is taken for one", async () => {
  await using shard = await startShard([OLDEST, NEWER]);
  const [primary, replica] = pairOf(shard.engines);
  await fill(shard);
  const load = await shard.startLoad();
  await plant(replica, "SET", "plain:7", "wrong");
  await plant(replica, "DEL", "plain:8");
  await plant(replica, "SET", "one:too:many", "1");
  await plant(replica, "ZADD", "zset", "2.5", "a");
  const result = await verify(primary, replica);
  assert.deepEqual(result.examples.toSorted(), ["one:too:many", "plain:7", "plain:8", "zset"]);
  assert.ok(result.changing < result.keys, JSON.stringify(result));
  await load.requireNothingLost();
});

test("a busy database without differences has none", async () => {
  await using shard = await startShard([OLDEST, NEWER]);
  const [primary, replica] = pairOf(shard.engines);
  const load = await shard.startLoad();
  for (let round = 0; round < 5; round += 1) assert.equal((await verify(primary, replica)).different, 0);
  await load.requireNothingLost();
});

test("other numbered databases are compared too", async () => {
  await using shard = await startShard([OLDEST, OLDEST]);
  const [primary, replica] = pairOf(shard.engines);
  const client = await primary.connect();
  await client.call("SELECT", 3);
  await client.call("SET", "there", "1");
  client.close();
  await untilReplicated(primary, replica);
  assert.deepEqual((await verify(primary, replica)).keys, 2);
});

test("a database larger than the bound is sampled", async () => {
  await using shard = await startShard([OLDEST, OLDEST]);
  const [primary, replica] = pairOf(shard.engines);
  await primary.call("DEBUG", "POPULATE", 5000, "key", 10);
  const result = await verifyReplica({ primary, replica, clock: systemClock, maxKeys: 1000 });
  assert.equal(result.whole, false);
  assert.ok(result.keys >= 1000 && result.keys < 4000, `${result.keys} keys`);
});

test("keys with very long names are left out, and their names are not sent to the engines again and again", async () => {
  await using shard = await startShard([OLDEST, OLDEST]);
  const [primary, replica] = pairOf(shard.engines);
  const nameBytes = 1_000_000;
  for (let i = 0; i < 5; i += 1) await primary.call("SET", `${i}`.padEnd(nameBytes, "n"), "v");
  await fill(shard);
  await plant(replica, "SET", "plain:7", "wrong");
  const before = await receivedBytes(primary);
  const result = await verify(primary, replica);
  assert.deepEqual([result.keys, result.examples, result.whole], [2 * 308, ["plain:7"], false]);
  assert.ok((await receivedBytes(primary)) - before < nameBytes);
});

test("an engine that does not follow the primary is no replica to compare", async () => {
  await using shard = await startShard([OLDEST, OLDEST]);
  const [primary, replica] = pairOf(shard.engines);
  await assert.rejects(verify(replica, primary), { code: "AGENT_NOT_A_REPLICA" });
});

function verify(primary: TestEngine, replica: TestEngine): Promise<VerifyResult> {
  return verifyReplica({ primary, replica, clock: systemClock });
}

function pairOf(engines: readonly TestEngine[]): readonly [TestEngine, TestEngine] {
  const [primary, replica] = engines;
  assert.ok(primary !== undefined && replica !== undefined);
  return [primary, replica];
}

/** 308 keys. */
async function fill({ engines }: TestShard): Promise<void> {
  const [primary, replica] = pairOf(engines);
  const client = await primary.connect();
  const commands = Array.from({ length: 300 }, (_, n) => ["SET", `plain:${n}`, `value ${n}`]);
  commands.push(["ZADD", "zset", "0.3333333333333333", "a", "0.1", "b", "inf", "c"]);
  commands.push(["HSET", "hash", "f", "1", "g", "2"], ["RPUSH", "list", "1", "2"], ["SADD", "set", "x", "y"]);
  commands.push(["XADD", "stream", "*", "f", "v"], ["SETBIT", "bits", "7", "1"], ["PFADD", "log", "a", "b"]);
  await Promise.all(commands.map((command) => client.call(...command)));
  await client.call("SET", Buffer.from([0xff, 0x00, 0xfe]), Buffer.from([0x80]));
  client.close();
  await untilReplicated(primary, replica);
}

/** On the replica alone. */
async function plant(replica: TestEngine, ...command: readonly string[]): Promise<void> {
  await replica.call("CONFIG", "SET", "replica-read-only", "no");
  await replica.call(...command);
  await replica.call("CONFIG", "SET", "replica-read-only", "yes");
}

function nameOf(start: string): string {
  const names = engineNames();
  const found = names.find((name) => name.startsWith(start)) ?? names[0];
  assert.ok(found !== undefined, "no engine: run npm run setup");
  return found;
}

async function receivedBytes(engine: TestEngine): Promise<number> {
  return Number(/total_net_input_bytes:(\d+)/.exec(String(await engine.call("INFO", "stats")))?.[1]);
}
