import assert from "node:assert/strict";
import { test } from "node:test";
import { isFault } from "#kit/base/fault";
import { faults } from "../faults.ts";
import { requireNear } from "./near-time.ts";
import { compareTimestamps, nextTimestamp } from "./timestamp.ts";

const NOW = Date.UTC(2026, 0, 1);
const DAY_MS = 24 * 3_600_000;

const last: readonly (readonly [what: string, wall: number, count: number])[] = [
  ["a clock that is ahead", NOW + 5_000, 0],
  ["the same millisecond", NOW, 7],
  ["the last count that a site makes", NOW, 2 ** 32],
  ["the last number that there is", NOW + DAY_MS, Number.MAX_SAFE_INTEGER],
  ["an earlier time", NOW - 1, Number.MAX_SAFE_INTEGER],
];

for (const [what, wall, count] of last)
  test(`the next time is later, and a number that can be sent: after ${what}`, () => {
    const before = { wall, count, site: 63 };
    const next = nextTimestamp(before, NOW, 1);
    assert.ok(compareTimestamps(before, next) < 0);
    assert.ok(Number.isSafeInteger(next.wall) && Number.isSafeInteger(next.count));
  });

test("a time of another site is taken up to a day ahead", () => {
  for (const wall of [0, NOW, NOW + DAY_MS]) requireNear({ wall, site: 2 }, NOW);
  for (const wall of [NOW + DAY_MS + 1, Number.MAX_SAFE_INTEGER])
    assert.throws(
      () => requireNear({ wall, site: 66 }, NOW),
      (error) => isFault(error, faults.clockAhead) && /^The time of site 2 is \d+ hours ahead/.test(error.message),
    );
});
