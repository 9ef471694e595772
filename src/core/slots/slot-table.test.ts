import assert from "node:assert/strict";
import { test } from "node:test";
import { slotTable } from "./slot-table.ts";

const [LOW, HIGH] = [
  { from: 0, to: 8_191 },
  { from: 8_192, to: 16_383 },
];

test("the table says which shard has a slot, from the first slot of a range to its last one", () => {
  const table = slotTable([
    [HIGH],
    [
      { from: 0, to: 99 },
      { from: 200, to: 8_191 },
    ],
    [{ from: 100, to: 199 }],
  ]);
  assert.deepEqual(
    [0, 99, 100, 199, 200, 8_191, 8_192, 16_383].map((slot) => table?.[slot]),
    [1, 1, 2, 2, 1, 1, 0, 0],
  );
});

test("a shard may have no slot", () => {
  assert.ok(slotTable([[LOW, HIGH], []]) !== undefined);
});

for (const [what, shards] of [
  ["a slot without a shard", [[LOW], [{ from: 8_193, to: 16_383 }]]],
  ["a slot that two shards have", [[LOW], [HIGH, { from: 7, to: 7 }]]],
  ["a slot that one shard has twice", [[LOW, LOW], [HIGH]]],
  ["a range that ends before it begins", [[LOW, HIGH, { from: 2, to: 1 }]]],
  ["a slot that no database has", [[LOW, { from: 8_192, to: 16_384 }]]],
  ["a slot that is no whole number", [[LOW, { from: 8_191.5, to: 16_383 }]]],
  ["no shards", []],
] as const)
  test(`there is no table with ${what}`, () => {
    assert.equal(slotTable(shards), undefined);
  });
