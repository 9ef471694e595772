import assert from "node:assert/strict";
import { test } from "node:test";
import { block } from "../planner/findings/finding.ts";
import { removalTurns, type TriedRemoval } from "./removal-turns.ts";

const NOW = 10_000_000;
const MINUTE = 60_000;

function refused(minutesAgo: number, id = "ObjectStoreBusy"): TriedRemoval {
  return { at: NOW - minutesAgo * MINUTE, refusal: block(id, "it does not go", "look") };
}

for (const [rule, tried, next, afterMs] of [
  ["what was never tried goes in its order", {}, ["a", "b", "c"], undefined],
  ["what has gone is not tried again", { a: { at: NOW, refusal: undefined } }, ["b", "c"], undefined],
  ["what was refused comes last", { a: refused(11) }, ["b", "c", "a"], undefined],
  [
    "what was refused the longest time ago comes first",
    { a: refused(11), b: refused(12), c: refused(13) },
    ["c", "b", "a"],
    undefined,
  ],
  ["a refusal keeps the others too", { a: refused(4) }, [], 6 * MINUTE],
  ["a refusal of one alone keeps no other one", { a: refused(4, "BackupForeign") }, ["b", "c"], undefined],
  [
    "nothing is tried anew soon after a refusal",
    { a: refused(30), b: refused(4, "BackupForeign"), c: refused(30) },
    [],
    6 * MINUTE,
  ],
  [
    "a clock that was set back holds none up",
    { a: refused(-60), b: refused(-60), c: refused(-60) },
    ["a", "b", "c"],
    undefined,
  ],
] as const)
  test(`turns: ${rule}`, () => {
    const all = new Map<string, TriedRemoval>(Object.entries(tried));
    assert.deepEqual(removalTurns(["a", "b", "c"], all, NOW), { next, afterMs });
  });

test("nothing is waited for when all have gone", () => {
  const all = new Map([["a", { at: NOW, refusal: undefined }]]);
  assert.deepEqual(removalTurns(["a"], all, NOW), { next: [], afterMs: undefined });
});
