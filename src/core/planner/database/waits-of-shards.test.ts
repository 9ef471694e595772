import assert from "node:assert/strict";
import { test } from "node:test";
import { on, toVersion8 } from "../../../../test/kit/facts/database-scene.ts";
import { twoShards } from "../../../../test/kit/facts/two-shards.ts";
import { upgradedShards, waitsText } from "./waits-of-shards.ts";

const { record: two } = twoShards({});
const waits = (...reasons: readonly (readonly [number, string])[]) =>
  waitsText(
    two,
    reasons.map(([shard, reason]) => ({ shard, reason })),
  );

test("what shards wait for is said once for all that wait for the same, with the shards", () => {
  assert.equal(waits(), "");
  assert.equal(waits([1, "a"], [2, "b"], [4, "a"]), "shards 1 and 4: a; shard 2: b");
  assert.equal(waits([1, "a"], [2, "a"], [3, "a"]), "shards 1, 2 and 3: a");
  assert.equal(waits([1, 'the primary of shard 1 of "orders" is gone']), 'the primary of shard 1 of "orders" is gone');
});

test("a database of one shard names none", () => {
  const one = { ...two, shards: two.shards.slice(0, 1) };
  assert.equal(waitsText(one, [{ shard: 1, reason: "a" }]), "a");
});

test("of many reasons and of many shards three are named, and the others counted", () => {
  assert.equal(
    waits([1, "a"], [2, "b"], [3, "c"], [4, "d"]),
    "shard 1: a; shard 2: b; shard 3: c; and 1 more reason of other shards",
  );
  const ids = Array.from({ length: 512 }, (_, at) => at + 1);
  assert.match(
    waits(...ids.map((id) => [id, `${id} bytes`] as const)),
    /^shard 1: 1 bytes; .*; and 509 more reasons of other shards$/,
  );
  assert.equal(waits(...ids.map((id) => [id, "a"] as const)), "shards 1, 2, 3 and 509 more: a");
});

test("an upgrade counts the shards whose engines are all of the next version", () => {
  const first = { instances: [on(1, 1, "8.0"), on(2, 2, "8.0")] };
  assert.equal(upgradedShards(twoShards({ record: toVersion8, first }).record), "1 of 2 shards are at 8.0");
  const half = { instances: [on(1, 1), on(2, 2, "8.0")] };
  assert.equal(upgradedShards(twoShards({ record: toVersion8, first: half }).record), "0 of 2 shards are at 8.0");
  assert.equal(upgradedShards(twoShards({ first }).record), undefined);
  const { record } = twoShards({ record: toVersion8 });
  assert.equal(upgradedShards({ ...record, shards: record.shards.slice(0, 1) }), undefined);
});
