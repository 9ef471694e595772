import assert from "node:assert/strict";
import { test } from "node:test";
import { fullestPart } from "./fullest-part.ts";
import { evenSlots } from "./shard-slots.ts";
import { slotOf } from "./slot.ts";

/** So many keys, the first of them with one tag. */
function drawn(count: number, tagged: number): ReadonlyMap<string, number> {
  const names = Array.from({ length: count }, (_, at) => (at < tagged ? `{hot}:${at}` : `key:${at}`));
  return new Map(names.map((name) => [name, slotOf(Buffer.from(name))]));
}

test("keys without tags are spread evenly", () => {
  const part = fullestPart(drawn(200, 0), evenSlots(4)) ?? 1;
  assert.ok(part < 0.35, String(part));
});

test("keys of one tag are of one shard", () => {
  assert.equal(fullestPart(drawn(200, 200), evenSlots(4)), 1);
  const part = fullestPart(drawn(200, 160), evenSlots(4)) ?? 0;
  assert.ok(part >= 0.8, String(part));
});

test("of few keys nothing follows", () => {
  assert.equal(fullestPart(drawn(49, 49), evenSlots(2)), undefined);
});
