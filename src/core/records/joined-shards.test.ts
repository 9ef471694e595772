import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, on } from "../../../test/kit/facts/database-scene.ts";
import type { DatabaseRecord, ShardRecord } from "../api/records.ts";
import { hasJoined, withShardsJoined } from "./joined-shards.ts";

const { record } = factsOf({ instances: [on(1, 1)] });
const [only] = record.shards;
assert.ok(only !== undefined);
const shard = (id: number, more: Partial<ShardRecord> = {}): ShardRecord => ({ ...only, id, ...more });
const waiting: DatabaseRecord = { ...record, awaitsSites: true, shards: [shard(1), shard(2)] };

test("clients are let in when what the others hold is at every shard, and not before", () => {
  const one = withShardsJoined(waiting, [1]);
  assert.equal(one.awaitsSites, true);
  assert.deepEqual(
    one.shards.map((each) => hasJoined(one, each)),
    [true, false],
  );
  const both = withShardsJoined(one, [2]);
  assert.equal(both.awaitsSites, undefined);
  assert.equal(both.sitesJoined, undefined);
});

test("another start of a primary, or another primary, has to be asked again", () => {
  const one = withShardsJoined(waiting, [1]);
  for (const again of [
    { instances: only.instances.map((instance) => ({ ...instance, launch: instance.launch + 1 })) },
    { epoch: only.epoch + 1 },
  ]) {
    const changed = { ...one, shards: [shard(1, again), shard(2)] };
    assert.equal(withShardsJoined(changed, [2]).awaitsSites, true);
  }
});

test("what is known already is not written again", () => {
  const one = withShardsJoined(waiting, [1]);
  assert.equal(withShardsJoined(one, [1]), one);
});
