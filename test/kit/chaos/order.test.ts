import assert from "node:assert/strict";
import { test } from "node:test";
import type { Act, Operation } from "../linearizability/history.ts";
import { slotsOf } from "../../../src/core/slots/shard-slots.ts";
import { slotOf } from "../../../src/core/slots/slot.ts";
import { brokenBetween } from "./order.ts";

type Row = readonly [begin: number, end: number | "?", act: Act];

const set = (value: string): Act => ({ kind: "set", value });
const get = (value: string | null): Act => ({ kind: "get", value });
const history = (...rows: readonly Row[]): readonly Operation[] =>
  rows.map(([begin, end, act], at) => ({ client: `c${at}`, key: "k", begin, end: end === "?" ? undefined : end, act }));
/** The primary changes from 100 to 200. */
const CHANGE = [{ from: 100, to: 200, slots: slotsOf({}) }];

for (const [rule, operations] of [
  ["a write right before the change is lost", history([0, 1, set("a")], [90, 95, set("b")], [210, 220, get("a")])],
  ["a write during the change is kept", history([0, 1, set("a")], [110, 150, set("b")], [210, 220, get("b")])],
  [
    "a write without an outcome takes effect later",
    history([90, "?", set("b")], [210, 220, get(null)], [230, 240, get("b")]),
  ],
  [
    "a write that ends after the change takes effect after it",
    history([90, 250, set("b")], [210, 220, get(null)], [260, 270, get("b")]),
  ],
] as const)
  test(`fits: ${rule}`, () => {
    assert.deepEqual(brokenBetween(operations, CHANGE), []);
  });

for (const [rule, operations] of [
  ["an old primary answers after the change", history([0, 1, set("a")], [210, 220, set("b")], [230, 240, get("a")])],
  ["two primaries answer by turns", history([210, 220, get("a")], [230, 240, get("b")], [250, 260, get("a")])],
  ["a write is lost without a change", history([0, 1, set("a")], [10, 11, set("b")], [20, 21, get("a")])],
] as const)
  test(`found: ${rule}`, () => {
    assert.equal(brokenBetween(operations, CHANGE).length, 1);
  });

test("found: a write is lost while the primary of another shard changes", () => {
  const operations = history([0, 1, set("a")], [90, 95, set("b")], [210, 220, get("a")]);
  const slotOfKey = slotOf(Buffer.from("k"));
  const others = slotsOf({}).flatMap(({ to }) => [
    { from: 0, to: slotOfKey - 1 },
    { from: slotOfKey + 1, to },
  ]);
  assert.equal(brokenBetween(operations, [{ from: 100, to: 200, slots: others }]).length, 1);
});
