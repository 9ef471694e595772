import assert from "node:assert/strict";
import { test } from "node:test";
import { on } from "../../../test/kit/facts/database-scene.ts";
import type { DatabaseRecord, ShardRecord } from "../api/records.ts";
import { whyNoSuccessor, whyNotServable } from "./slots-of-shards.ts";

type Shards = Pick<DatabaseRecord, "shards" | "tableEpoch" | "activeActive">;

const shard = (id: number, from?: number, to = 16_383): ShardRecord => ({
  id,
  epoch: 1,
  primary: id,
  instances: [on(id, 1)],
  ...(from === undefined ? {} : { slots: [{ from, to }] }),
});
const low = shard(1, 0, 8_191);
const high = shard(2, 8_192);
const one: Shards = { shards: [shard(1)] };
const two: Shards = { shards: [low, high] };
const moved: Shards = { shards: [shard(1, 0, 8_192), shard(2, 8_193)] };
const site = { activeActive: { guid: "g", site: 1 } };

const servable: readonly (readonly [string, Shards, RegExp | undefined])[] = [
  ["one shard has all slots without a word", one, undefined],
  ["one shard may say that it has all slots", { shards: [shard(1, 0)] }, undefined],
  ["one shard without all slots leaves slots without a shard", { shards: [low] }, /not each slot/],
  ["two shards share the slots", two, undefined],
  ["two shards that say nothing of slots are refused", { shards: [shard(1), shard(2)] }, /not each slot/],
  ["a slot with two shards is refused", { shards: [low, shard(2, 8_191)] }, /not each slot/],
  ["a slot without a shard is refused", { shards: [low, shard(2, 8_193)] }, /not each slot/],
  ["a range beyond the last slot is refused", { shards: [low, shard(2, 8_192, 16_384)] }, /not each slot/],
  ["a database that is being deleted may have no shard left", { shards: [] }, undefined],
  ["a site has one shard", { ...one, ...site }, undefined],
  ["a site has no two shards", { ...two, ...site }, /site of an Active-Active database/],
];

for (const [rule, shards, want] of servable)
  test(`shards of a record: ${rule}`, () => {
    if (want === undefined) assert.equal(whyNotServable(shards), undefined);
    else assert.match(whyNotServable(shards) ?? "", want);
  });

const successors: readonly (readonly [string, Shards, Shards, RegExp | undefined])[] = [
  ["what stays is stored", two, two, undefined],
  ["the order of shards is not their slots", two, { shards: [high, low] }, undefined],
  ["another primary moves no slot", two, { shards: [{ ...low, epoch: 2 }, high] }, undefined],
  ["slots move with a higher epoch", two, { ...moved, tableEpoch: 1 }, undefined],
  ["slots do not move within an epoch", { ...two, tableEpoch: 3 }, { ...moved, tableEpoch: 3 }, /epoch stays 3/],
  ["an epoch does not rise without slots", two, { ...two, tableEpoch: 1 }, /goes from 0 to 1/],
  ["an epoch does not fall", { ...two, tableEpoch: 3 }, { ...moved, tableEpoch: 2 }, /epoch stays 3/],
  ["an epoch is not forgotten", { ...two, tableEpoch: 3 }, two, /goes from 3 to 0/],
  ["what leaves a slot without a shard is refused", two, { shards: [low], tableEpoch: 1 }, /not each slot/],
];

for (const [rule, before, after, want] of successors)
  test(`shards of a record that changes: ${rule}`, () => {
    if (want === undefined) assert.equal(whyNoSuccessor(before, after), undefined);
    else assert.match(whyNoSuccessor(before, after) ?? "", want);
  });
