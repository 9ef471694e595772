import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeDiff } from "./merge-diff.ts";

const cases: readonly (readonly [rule: string, from: object, to: object, patch: object])[] = [
  ["equal objects need an empty patch", { a: 1, b: { c: 2 } }, { a: 1, b: { c: 2 } }, {}],
  ["a member that is gone is null in the patch", { a: 1, b: 2 }, { b: 2 }, { a: null }],
  ["a member that is undefined is removed", { a: 1 }, { a: undefined }, { a: null }],
  ["a member that never was is not in the patch", {}, { a: undefined }, {}],
  [
    "only what differs is named, at each depth",
    { a: { b: 1, c: 2, d: 3 } },
    { a: { b: 1, c: 4 } },
    { a: { c: 4, d: null } },
  ],
  ["a list is replaced as a whole", { a: [1, 2] }, { a: [2] }, { a: [2] }],
  ["a list that becomes an object is replaced", { a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
];

for (const [rule, from, to, patch] of cases) {
  test(`merge patch: ${rule}`, () => {
    assert.deepEqual(mergeDiff(from, to), patch);
  });
}
