import assert from "node:assert/strict";
import { test } from "node:test";
import { WrittenKeys } from "./written-keys.ts";

const ALL = { keys: Infinity, bytes: Infinity };

function written(...keys: readonly string[]): WrittenKeys {
  const all = new WrittenKeys();
  for (const [at, key] of keys.entries()) all.add(key, at);
  return all;
}

test("keys that have rested are given in the order of their last writes", () => {
  assert.deepEqual(written("a", "b", "a", "c").after(0, 2, ALL).keys, ["b", "a"]);
});

test("what was given is not given again, unless it is written again", () => {
  const all = written("a", "b");
  const { last } = all.after(0, 10, ALL);
  assert.deepEqual(all.after(last, 10, ALL).keys, []);
  all.add("a", 20);
  assert.deepEqual(all.after(last, 20, ALL).keys, ["a"]);
});

test("so many are given at once, or so many bytes of names, and the next ones after them", () => {
  const all = written("aa", "bb", "cc");
  const first = all.after(0, 10, { keys: 2, bytes: Infinity });
  assert.deepEqual(first.keys, ["aa", "bb"]);
  assert.deepEqual(all.after(first.last, 10, ALL).keys, ["cc"]);
  assert.deepEqual(all.after(0, 10, { keys: 9, bytes: 3 }).keys, ["aa"]);
});

test("the oldest are forgotten where more keys, or longer names, are written than are remembered", () => {
  const all = new WrittenKeys();
  for (let number = 0; number < 20_001; number += 1) all.add(`${number}`, 0);
  const { keys } = all.after(0, 0, ALL);
  assert.equal(keys.length, 20_000);
  assert.equal(keys[0], "1");
  for (let number = 0; number < 3; number += 1) all.add(`${number}${"x".repeat(1_000_000)}`, 0);
  assert.equal(all.after(0, 0, ALL).keys.length, 2);
});
