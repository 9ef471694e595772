import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames } from "../../../../test/kit/engines/engine.ts";
import type { TestEngine } from "../../../../test/kit/engines/engine.ts";
import { startShard } from "../../../../test/kit/engines/shard.ts";
import { untilReplicated } from "../../../../test/kit/engines/switchover.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { verifyReplica } from "./verify.ts";
import type { VerifyRequest, VerifyResult } from "./verify.ts";

const ENGINES = [engineNames()[0] ?? "", engineNames().at(-1) ?? ""];
const ELEMENTS = 3_000;
const STRING_BYTES = 600_000;

/** A value of each type that is too large for one question, a difference in its middle, and a change that clients make at its end. */
const LARGE: readonly {
  readonly key: string;
  readonly fill: (n: number) => readonly string[];
  readonly plant: readonly string[];
  readonly write: (n: number) => readonly string[];
}[] = [
  {
    key: "set",
    fill: (n) => ["SADD", "set", `m${n}`],
    plant: ["SREM", "set", "m1500"],
    write: (n) => [n % 2 === 0 ? "SADD" : "SREM", "set", "busy"],
  },
  {
    key: "zset",
    fill: (n) => ["ZADD", "zset", `${n / 3}`, `m${n}`],
    plant: ["ZADD", "zset", "7", "m1500"],
    write: (n) => ["ZADD", "zset", `${n}`, "busy"],
  },
  {
    key: "hash",
    fill: (n) => ["HSET", "hash", `f${n}`, `v${n}`],
    plant: ["HSET", "hash", "f1500", "other"],
    write: (n) => ["HSET", "hash", "busy", `${n}`],
  },
  {
    key: "list",
    fill: (n) => ["RPUSH", "list", `e${n}`],
    plant: ["LSET", "list", "1500", "other"],
    write: (n) => ["LSET", "list", "-1", `${n}`],
  },
  {
    key: "stream",
    fill: (n) => ["XADD", "stream", `${n + 1}-1`, "f", `v${n}`],
    plant: ["XDEL", "stream", "1500-1"],
    write: (n) => ["XADD", "stream", "*", "f", `${n}`],
  },
  {
    key: "string",
    fill: (n) => ["SETRANGE", "string", `${(STRING_BYTES / ELEMENTS) * n}`, "x".repeat(STRING_BYTES / ELEMENTS)],
    plant: ["SETRANGE", "string", "300000", "other"],
    write: (n) => ["SETRANGE", "string", `${STRING_BYTES - 10}`, `${n % 10}`],
  },
];

test("large values of every type are equal on another engine, and no digest is taken of them", async () => {
  await using shard = await filled();
  const [primary, replica] = pairOf(shard.engines);
  await primary.call("CONFIG", "RESETSTAT");
  const result = await verify(primary, replica);
  const keys = 2 * LARGE.length;
  assert.deepEqual(result, { keys, different: 0, examples: [], changing: 0, expired: 0, whole: true });
  const stats = String(await primary.call("INFO", "commandstats"));
  assert.doesNotMatch(stats, /cmdstat_debug/);
  for (const command of ["sscan", "zscan", "hscan", "lrange", "xrange", "getrange"])
    assert.match(stats, new RegExp(`cmdstat_${command}:`), command);
});

test("what the walk over the primary has found whole at the replica is not read again, and one element too many is found all the same", async () => {
  await using shard = await filled();
  const [primary, replica] = pairOf(shard.engines);
  await replica.call("CONFIG", "RESETSTAT");
  assert.equal((await verify(primary, replica)).whole, true);
  assert.doesNotMatch(String(await replica.call("INFO", "commandstats")), /cmdstat_(s|h|z)scan:/);
  await plant(replica, [["SADD", "set", "one too many"]]);
  assert.deepEqual((await verify(primary, replica)).examples, ["set"]);
});

test("a difference inside each large value is found, also while clients change another part of it", async () => {
  await using shard = await filled();
  const [primary, replica] = pairOf(shard.engines);
  await plant(
    replica,
    LARGE.map(({ plant: command }) => command),
  );
  const named = LARGE.map(({ key }) => key).toSorted();
  assert.deepEqual((await verify(primary, replica)).examples.toSorted(), named);
  const writing = await writeOn(primary, (n) => LARGE.map(({ write }) => write(n)));
  assert.deepEqual((await verify(primary, replica)).examples.toSorted(), named);
  await writing.end();
});

test("large values without a difference have none while clients change them, delete them, let them expire and change their type", async () => {
  await using shard = await filled();
  const [primary, replica] = pairOf(shard.engines);
  const writing = await writeOn(primary, (n) => [
    ...LARGE.map(({ write }) => write(n)),
    ["RPUSH", "list", "more"],
    ["LPOP", "list"],
    ["COPY", LARGE[n % LARGE.length]?.key ?? "", "flips", "REPLACE"],
    ["COPY", LARGE[n % LARGE.length]?.key ?? "", "goes", "REPLACE"],
    ["PEXPIRE", "goes", "1"],
    [n % 3 === 0 ? "UNLINK" : "TOUCH", "flips"],
  ]);
  for (let round = 0; round < 2; round += 1) {
    const { different, examples } = await verify(primary, replica);
    assert.deepEqual({ different, examples }, { different: 0, examples: [] });
  }
  await writing.end();
});

test("an expiry that only one side has is a difference of a large value", async () => {
  await using shard = await filled();
  const [primary, replica] = pairOf(shard.engines);
  await plant(replica, [["EXPIRE", "set", "1000"]]);
  assert.deepEqual((await verify(primary, replica)).examples, ["set"]);
});

test("what is more than the bound is judged by its size, and the result says that it is no comparison of the whole", async () => {
  await using shard = await filled();
  const [primary, replica] = pairOf(shard.engines);
  await plant(replica, [["SADD", "set", "one too many"]]);
  const result = await verify(primary, replica, { maxElements: 10 });
  assert.deepEqual([result.examples, result.whole], [["set"], false]);
});

test("what comes after the time of a comparison is judged by its size, and the result says so", async () => {
  await using shard = await filled();
  const [primary, replica] = pairOf(shard.engines);
  await plant(replica, [
    ["SREM", "set", "m1500"],
    ["LSET", "list", "1500", "other"],
  ]);
  const result = await verify(primary, replica, { maxMs: -1 });
  assert.deepEqual([result.examples, result.whole], [["set"], false]);
});

test("a long list whose elements all move, as clients take from its beginning, is left after a few parts", async () => {
  await using shard = await startShard(ENGINES);
  const [primary, replica] = pairOf(shard.engines);
  const filling = await primary.connect();
  const elements = Array.from({ length: 1_000 }, (_, n) => `e${n}`);
  for (let n = 0; n < 50; n += 1) await filling.call("RPUSH", "list", ...elements);
  filling.close();
  await untilReplicated(primary, replica);
  await primary.call("CONFIG", "RESETSTAT");
  const writing = await writeOn(primary, (n) => [
    ["LPOP", "list"],
    ["RPUSH", "list", `more${n}`],
  ]);
  const { different, changing, whole } = await verify(primary, replica);
  await writing.end();
  assert.deepEqual({ different, changing, whole }, { different: 0, changing: 2, whole: false });
  const [, reads = ""] = /cmdstat_lrange:calls=(\d+)/.exec(String(await primary.call("INFO", "commandstats"))) ?? [];
  assert.ok(Number(reads) > 0 && Number(reads) < 100, `${reads} parts were read`);
});

async function filled() {
  const shard = await startShard(ENGINES);
  const client = await shard.engine(1).connect();
  for (let n = 0; n < ELEMENTS; n += 500)
    await client.callAll(
      LARGE.flatMap(({ fill }) => Array.from({ length: 500 }, (_, i) => fill(n + i))),
      "utf8",
    );
  client.close();
  await untilReplicated(...pairOf(shard.engines));
  return shard;
}

/** Writes without pause until the end; `end` fails when a write has failed. */
async function writeOn(primary: TestEngine, commands: (n: number) => readonly (readonly string[])[]) {
  const client = await primary.connect();
  let ends = false;
  const writing = (async () => {
    for (let n = 0; !ends; n += 1) await Promise.all(commands(n).map((command) => client.call(...command)));
    client.close();
  })();
  return {
    end: async () => {
      ends = true;
      await writing;
    },
  };
}

/** On the replica alone. */
async function plant(replica: TestEngine, commands: readonly (readonly string[])[]): Promise<void> {
  await replica.call("CONFIG", "SET", "replica-read-only", "no");
  for (const command of commands) await replica.call(...command);
  await replica.call("CONFIG", "SET", "replica-read-only", "yes");
}

function verify(primary: TestEngine, replica: TestEngine, more: Partial<VerifyRequest> = {}): Promise<VerifyResult> {
  return verifyReplica({ primary, replica, clock: systemClock, ...more });
}

function pairOf(engines: readonly TestEngine[]): readonly [TestEngine, TestEngine] {
  const [primary, replica] = engines;
  assert.ok(primary !== undefined && replica !== undefined);
  return [primary, replica];
}
