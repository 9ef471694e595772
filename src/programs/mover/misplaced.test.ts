import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { startEngine } from "../../../test/kit/engines/engine.ts";
import { startAll } from "../../../test/kit/engines/start-all.ts";
import { MovedShards } from "../../../test/kit/mover/moved-shards.ts";
import type { MisplacedKeys } from "../../ports/management/mover-control.ts";
import type { Arg } from "../../ports/resp/encode.ts";

/** A key whose slot is the second shard's, as its name says, and what makes it at the first one and takes its last element. */
const EMPTIED: readonly (readonly [string, readonly Arg[], readonly Arg[]])[] = [
  ["a list", ["RPUSH", "{a}list", "1"], ["LPOP", "{a}list"]],
  ["a hash", ["HSET", "{a}hash", "f", "1"], ["HDEL", "{a}hash", "f"]],
  ["a set", ["SADD", "{a}set", "1"], ["SPOP", "{a}set"]],
  ["a sorted set", ["ZADD", "{a}sorted", "1", "m"], ["ZREM", "{a}sorted", "m"]],
  ["a key with a time", ["SET", "{a}timed", "1", "PX", "1500"], ["PING"]],
];

test("a key at the wrong shard that has lost its last element, or expired, does not count any more", async () => {
  const sources = await startAll(startEngine(), startEngine());
  const [first] = sources;
  await using moved = await MovedShards.begin(sources, { targets: 1 });
  try {
    await moved.following();
    await first?.call("SET", "{a}stays", "1");
    for (const [, make] of EMPTIED) await first?.call(...make);
    assert.equal((await found(moved, EMPTIED.length + 1))?.keys, EMPTIED.length + 1);
    for (const [, , empty] of EMPTIED) await first?.call(...empty);
    assert.deepEqual(await found(moved, 1), { keys: 1, example: { database: 0, name: "{a}stays" } });
    await first?.call("SADD", "{a}last", "1");
    await found(moved, 2);
    // at the end nothing is asked a moment later
    await first?.call("SREM", "{a}last", "1");
    await moved.finish();
    assert.equal((await moved.mover.status()).sources[0]?.misplaced?.keys, 1);
  } finally {
    await Promise.all(sources.map((source) => source.stop()));
  }
});

/** What the mover has found at the first shard, once it counts so many. */
async function found({ mover }: MovedShards, keys: number): Promise<MisplacedKeys | undefined> {
  let misplaced: MisplacedKeys | undefined;
  const counts = async (): Promise<boolean> => {
    misplaced = (await mover.status()).sources[0]?.misplaced;
    return misplaced?.keys === keys;
  };
  await until(`${keys} keys are misplaced`, counts);
  return misplaced;
}
