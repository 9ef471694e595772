import assert from "node:assert/strict";
import { test } from "node:test";
import { on } from "../../../test/kit/facts/database-scene.ts";
import type { DatabaseRecord, ReshapeIntent, ShardRecord } from "../api/records.ts";
import { whyNoSuccessor, whyNotServable } from "./slots-of-shards.ts";

type Shards = Pick<DatabaseRecord, "shards" | "tableEpoch" | "activeActive" | "reshape" | "nextShard">;

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
const slicedSite = (slices: number) => ({ activeActive: { guid: "g", site: 1, slices } });

/** Two shards beside the one that serves. */
const reshaping = (over: Partial<ReshapeIntent> = {}): Shards => ({
  shards: [shard(1)],
  tableEpoch: 4,
  reshape: {
    tableEpoch: 5,
    phase: "copy",
    shards: [shard(7, 0, 8_191), shard(8, 8_192)],
    mover: { node: 1, ports: [20_001, 20_002] },
    attempt: 1,
    since: "2026-01-01T00:00:00.000Z",
    ...over,
  },
});
const former: Shards = { shards: [shard(1)], tableEpoch: 4 };
const retiring: Shards = {
  ...reshaping({ phase: "retire", shards: [shard(1)] }),
  shards: [shard(7, 0, 8_191), shard(8, 8_192)],
  tableEpoch: 5,
};

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
  ["a site that is merged as one has no two shards", { ...two, ...site }, /has slots of two shards/],
  ["a site has several shards where each has whole slices", { ...two, ...slicedSite(4) }, undefined],
  ["no slice of a site is at two shards", { ...two, ...slicedSite(3) }, /has slots of two shards/],
  ["further shards are beside those that serve", reshaping(), undefined],
  ["the former shards are beside those that serve", retiring, undefined],
  ["a site gets no further shards", { ...reshaping(), ...site }, /site of an Active-Active database do not change/],
  ["further shards have each slot", reshaping({ shards: [shard(7, 0, 8_191)] }), /each slot .* of the further/],
  ["a further shard has an id of its own", reshaping({ shards: [shard(1)] }), /has the id of one that serves/],
  ["a further shard has instances of its own", reshaping({ shards: [{ ...shard(1), id: 7 }] }), /an instance of a/],
  ["the mover has a port for each", reshaping({ mover: { node: 1, ports: [20_001] } }), /not one port for each/],
  ["the next table has a higher epoch", reshaping({ tableEpoch: 4 }), /at epoch 4, and would go to 4/],
  ["shards that retire are of the table before", { ...retiring, tableEpoch: 6 }, /at epoch 6, and not at 5/],
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
  ["another number of shards begins", former, reshaping(), undefined],
  ["an id of a shard is never given again", { ...former, nextShard: 8 }, reshaping(), /is below 8/],
  ["copying begins anew", reshaping(), reshaping({ attempt: 2 }), undefined],
  ["clients are held after copying", reshaping(), reshaping({ phase: "hold" }), undefined],
  ["the next table serves after a hold", reshaping({ phase: "hold" }), retiring, undefined],
  ["the next table does not serve without a hold", reshaping(), retiring, /goes from copy to retire/],
  ["what was taken back does not serve", reshaping({ phase: "return" }), retiring, /goes from return to retire/],
  [
    "the next table is the one that was meant",
    reshaping({ phase: "hold" }),
    { ...retiring, shards: [shard(7, 0, 8_190), shard(8, 8_191)] },
    /to others than the shards that are to be/,
  ],
  ["the former shards go", retiring, { shards: retiring.shards, tableEpoch: 5 }, undefined],
  ["what is copied is withdrawn", reshaping(), former, undefined],
  ["a hold is taken back before it is withdrawn", reshaping({ phase: "hold" }), former, /goes from hold to none/],
  [
    "a hold leads back with a higher epoch",
    reshaping({ phase: "hold" }),
    reshaping({ phase: "return", tableEpoch: 6 }),
    undefined,
  ],
  [
    "an epoch that is taken back is not kept",
    reshaping({ phase: "hold" }),
    reshaping({ phase: "return" }),
    /its epoch stays 5/,
  ],
  [
    "nothing is copied before the return",
    reshaping({ phase: "hold" }),
    reshaping({ tableEpoch: 6 }),
    /from hold to copy/,
  ],
  [
    "copying goes on after the return with a higher epoch",
    reshaping({ phase: "return", tableEpoch: 6 }),
    { ...reshaping({ tableEpoch: 7 }), tableEpoch: 6 },
    undefined,
  ],
  [
    "the former shards go on in no other epoch than that of the return",
    reshaping({ phase: "return", tableEpoch: 6 }),
    { ...reshaping({ tableEpoch: 9 }), tableEpoch: 8 },
    /goes from 4 to 8/,
  ],
  ["an epoch that was taken back is not used again", reshaping({ phase: "return" }), reshaping(), /its epoch stays 5/],
  ["nothing leads back from the next table", retiring, { ...reshaping({ tableEpoch: 6 }) }, /goes from retire to copy/],
  ["what leaves a slot without a shard is refused", two, { shards: [low], tableEpoch: 1 }, /not each slot/],
];

for (const [rule, before, after, want] of successors)
  test(`shards of a record that changes: ${rule}`, () => {
    if (want === undefined) assert.equal(whyNoSuccessor(before, after), undefined);
    else assert.match(whyNoSuccessor(before, after) ?? "", want);
  });
