import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeeperThan } from "./json-depth.ts";

for (const [text, levels] of [
  ["1", 0],
  ["null", 0],
  ["[]", 1],
  ['{"a":1}', 1],
  ['{"a":[],"b":{"c":[2]}}', 3],
] as const)
  test(`${text} is ${levels} levels deep`, () => {
    const value: unknown = JSON.parse(text);
    assert.equal(isDeeperThan(value, levels), false);
    assert.equal(levels > 0 && isDeeperThan(value, levels - 1), levels > 0);
  });

test("what is so deep that a recursion would fail is found", () => {
  const deep: unknown = JSON.parse(`${"[".repeat(400_000)}${"]".repeat(400_000)}`);
  assert.equal(isDeeperThan(deep, 32), true);
});
