import assert from "node:assert/strict";
import { test } from "node:test";
import { slotsOf, slotsText } from "./shard-slots.ts";

test("a shard that says nothing of slots has all of them", () => {
  assert.equal(slotsText(slotsOf({})), "0-16383");
  assert.equal(slotsText(slotsOf({ slots: [] })), "");
});

test("ranges of slots are read as they are written elsewhere", () => {
  assert.equal(
    slotsText([
      { from: 0, to: 99 },
      { from: 200, to: 200 },
    ]),
    "0-99,200",
  );
});
