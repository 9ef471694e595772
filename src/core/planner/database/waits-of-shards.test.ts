import assert from "node:assert/strict";
import { test } from "node:test";
import { on, toVersion8 } from "../../../../test/kit/facts/database-scene.ts";
import { twoShards } from "../../../../test/kit/facts/two-shards.ts";
import { upgradedShards, waitsText } from "./waits-of-shards.ts";

test("what shards wait for is said once for all that wait for the same", () => {
  assert.equal(waitsText([]), "");
  assert.equal(waitsText(["a", "b", "a"]), "a; b");
  assert.equal(waitsText(["a", "b", "c"]), "a; b; c");
});

test("of many reasons three are named, and the others counted", () => {
  assert.equal(waitsText(["a", "b", "c", "d"]), "a; b; c; and 1 more reason of other shards");
  const many = Array.from({ length: 512 }, (_, shard) => `shard ${shard} is behind`);
  assert.match(waitsText(many), /^shard 0 is behind; .*; and 509 more reasons of other shards$/);
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
