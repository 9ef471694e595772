import assert from "node:assert/strict";
import { test } from "node:test";
import { partsOfKeys } from "./parts-of-keys.ts";
import { evenSlots } from "./shard-slots.ts";
import { slotOf } from "./slot.ts";

const FOUR = evenSlots(4).map((slots) => ({ slots }));

/** So many keys, the first of them with one tag. */
function drawn(count: number, tagged: number): ReadonlyMap<string, number> {
  const names = Array.from({ length: count }, (_, at) => (at < tagged ? `{hot}:${at}` : `key:${at}`));
  return new Map(names.map((name) => [name, slotOf(Buffer.from(name))]));
}

test("keys without tags are spread evenly, and the parts are the whole together", () => {
  const parts = partsOfKeys(drawn(200, 0), FOUR) ?? [];
  assert.ok(Math.max(...parts) < 0.35, parts.join(" "));
  assert.ok(Math.abs(parts.reduce((sum, part) => sum + part, 0) - 1) < 1e-9);
});

test("keys of one tag are of one shard", () => {
  assert.deepEqual([...(partsOfKeys(drawn(200, 200), FOUR) ?? [])].sort(), [0, 0, 0, 1]);
  const parts = partsOfKeys(drawn(200, 160), FOUR) ?? [];
  assert.ok(Math.max(...parts) >= 0.8, parts.join(" "));
});

test("keys of other shards do not count", () => {
  const hot = slotOf(Buffer.from("{hot}"));
  const others = [{ slots: [{ from: 0, to: hot - 1 }] }, { slots: [{ from: hot + 1, to: 16_383 }] }];
  const parts = partsOfKeys(drawn(200, 100), others) ?? [];
  assert.ok(Math.abs(parts.reduce((sum, part) => sum + part, 0) - 1) < 1e-9);
  assert.equal(partsOfKeys(drawn(200, 160), others), undefined, "40 keys are too few");
});

test("of few keys nothing follows", () => {
  assert.equal(partsOfKeys(drawn(49, 49), FOUR), undefined);
});
