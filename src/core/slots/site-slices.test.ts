import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { slotTable } from "./slot-table.ts";
import { evenSlots } from "./shard-slots.ts";
import { dividedSlice, namedSlices, siteSlices, slicesWithin, slotsOfSite } from "./site-slices.ts";

const counts = fc
  .tuple(fc.integer({ min: 1, max: 512 }), fc.integer({ min: 1, max: 512 }))
  .map(([one, other]) => ({ shards: Math.min(one, other), slices: Math.max(one, other) }));

test("however many shards a site has, each slot has one shard, and each slice is at one shard as a whole", () => {
  fc.assert(
    fc.property(counts, ({ shards, slices }) => {
      const all = slotsOfSite(shards, slices);
      assert.equal(all.length, shards);
      assert.ok(slotTable(all) !== undefined);
      assert.ok(all.every((slots) => dividedSlice(slots, slices) === undefined));
      const held = all.flatMap((slots) => slicesWithin(slots, slices));
      assert.deepEqual(held, siteSlices(slices));
    }),
  );
});

test("two sites name the same slices, however many shards each has", () => {
  const namesAt = (shards: number): readonly string[] =>
    slotsOfSite(shards, 6).flatMap((slots) => namedSlices("g", slots, 6).map(({ guid }) => guid));
  assert.equal(new Set(namesAt(1)).size, 6);
  for (const shards of [2, 3, 4, 5, 6]) assert.deepEqual(namesAt(shards), namesAt(1));
});

test("with as many shards as slices, shards have the slots that those of any database have", () => {
  for (const shards of [1, 2, 3, 7, 512]) assert.deepEqual(slotsOfSite(shards, shards), evenSlots(shards));
});

test("the only slice of a database has its name, and knows of no other", () => {
  assert.deepEqual(namedSlices("g", siteSlices(1), 1), [{ guid: "g" }]);
});

test("a slice at two shards is divided", () => {
  assert.deepEqual(dividedSlice([{ from: 0, to: 8_191 }], 3), { from: 5_462, to: 10_922 });
});
