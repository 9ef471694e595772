import assert from "node:assert/strict";
import { test } from "node:test";
import { isSameTable, namedShards, shardNames, slotTexts } from "./named-slots.ts";

for (const [rule, texts, want] of [
  ["each text is a shard", ["0-865", "866", "867-16383"], ["0-865", "866", "867-16383"]],
  ["they stand in the order of their slots", ["8192-16383", "0-8191"], ["0-8191", "8192-16383"]],
  ["a shard may have several ranges, in any order", ["9, 0-4", "5-8,10-16383"], ["0-4,9", "5-8,10-16383"]],
  ["ranges that touch are one", ["0-4,5-8191", "8192-16383"], ["0-8191", "8192-16383"]],
  ["a part of the memory is kept", ["0-865=25%", "866-16383"], ["0-865=25%", "866-16383"]],
  ["one shard may have all", ["0-16383"], ["0-16383"]],
] as const)
  test(`shards by their slots: ${rule}`, () => {
    const named = namedShards(texts);
    assert.ok(!("why" in named), JSON.stringify(named));
    assert.deepEqual(shardNames(named), want);
    const again = namedShards(shardNames(named));
    assert.deepEqual(again, named);
  });

for (const [rule, texts, why] of [
  ["each slot has a shard", ["0-865", "867-16383"], "no shard has slot 866"],
  ["no slot has two", ["0-866", "866-16383"], "slot 866 is named twice"],
  ["also not in one text", ["0-9,5", "10-16383"], "slot 5 is named twice"],
  ["there are 16,384 slots", ["0-16384"], '"0-16384" is no list of slots'],
  ["a range goes upwards", ["9-0", "10-16383"], '"9-0" is no list of slots'],
  ["a text has slots", ["", "0-16383"], '"" is no list of slots'],
  ["words are no slots", ["all"], '"all" is no list of slots'],
  ["nothing is no part", ["0-16383=0%"], '"0-16383=0%" is no list of slots'],
  ["nothing is more than all", ["0-16383=101%"], '"0-16383=101%" is no list of slots'],
  ["no shard is no table", [], "no shard has slot 0"],
] as const)
  test(`what names no shards: ${rule}`, () => {
    assert.deepEqual(namedShards(texts), { why });
  });

test("tables are the same by slots, whatever the order of their shards and what these may use", () => {
  const all = [{ slots: [{ from: 0, to: 9 }], share: 500 }, { slots: [{ from: 10, to: 16_383 }] }];
  assert.ok(isSameTable(all, [{ slots: [{ from: 10, to: 16_383 }] }, { slots: [{ from: 0, to: 9 }] }]));
  assert.ok(!isSameTable(all, [{ slots: [{ from: 0, to: 16_383 }] }]));
  assert.deepEqual(slotTexts([{}]), ["0-16383"], "an only shard has all");
});
