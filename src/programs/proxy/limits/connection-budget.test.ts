import assert from "node:assert/strict";
import { test } from "node:test";
import { mayOpen } from "./connection-budget.ts";

/** Three endpoints have 10,240 - 512 - 3 * 48 = 9,584 connections, of which each is kept 1,198, and the next one, too. */
const FILES = 10_240;

const rules: readonly (readonly [rule: string, own: number, others: readonly number[], want: boolean])[] = [
  ["an endpoint has its share, however many others have", 1_197, [4_000, 4_000], true],
  ["above its share it has what nothing is kept for", 1_198, [1_198, 1_198], true],
  ["until all of that is taken, but for one share that is kept for an endpoint that comes", 5_990, [0, 0], false],
  ["one connection less, and there is room", 5_989, [0, 0], true],
  ["what another one has above its share is taken", 2_000, [5_188, 0], false],
  ["and what it does not have is free", 2_000, [5_187, 0], true],
];
for (const [rule, own, others, want] of rules)
  test(`connections of endpoints: ${rule}`, () => {
    assert.equal(mayOpen(FILES, own, others), want);
  });

test("connections of endpoints: without a limit of files there is none", () => {
  assert.ok(mayOpen(Number.POSITIVE_INFINITY, 1e9, [1e9]));
});
