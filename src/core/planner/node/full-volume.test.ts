import assert from "node:assert/strict";
import { test } from "node:test";
import { refusedForRoom, reserveOf } from "./full-volume.ts";
import type { VolumeUse, RefusedBefore } from "./full-volume.ts";

const MIB = 1024 * 1024;
const TOTAL = 100 * MIB;
/** The first takes twice what it may take, the second half of it. */
const HELD: readonly VolumeUse[] = [
  { bdb: 1, bytes: 60 * MIB, budget: 30 * MIB },
  { bdb: 2, bytes: 10 * MIB, budget: 20 * MIB },
];
const NONE: RefusedBefore = { bdbs: [], free: TOTAL };

const cases: readonly {
  readonly rule: string;
  readonly freeMib: number;
  readonly held?: readonly VolumeUse[];
  readonly before?: RefusedBefore;
  readonly refused: readonly number[];
}[] = [
  { rule: "while the reserve is free, every database writes", freeMib: 20, refused: [] },
  { rule: "the one that takes the most of what it may take is refused first", freeMib: 19, refused: [1] },
  {
    rule: "no further one while the room does not shrink",
    freeMib: 10,
    before: { bdbs: [1], free: 10 * MIB },
    refused: [1],
  },
  { rule: "a further one when it shrinks on", freeMib: 8, before: { bdbs: [1], free: 10 * MIB }, refused: [1, 2] },
  {
    rule: "it stays refused until more than the reserve is free",
    freeMib: 24,
    before: { bdbs: [1], free: 19 * MIB },
    refused: [1],
  },
  {
    rule: "once room is back, every database writes",
    freeMib: 25,
    before: { bdbs: [1, 2], free: 8 * MIB },
    refused: [],
  },
  {
    rule: "one that has left the node makes place for the next",
    freeMib: 19,
    held: HELD.slice(1),
    before: { bdbs: [1], free: 19 * MIB },
    refused: [2],
  },
  { rule: "a volume that holds no database has none to refuse", freeMib: 1, held: [], refused: [] },
];

for (const { rule, freeMib, held = HELD, before = NONE, refused } of cases) {
  test(`a volume that is nearly full: ${rule}`, () =>
    assert.deepEqual(refusedForRoom({ total: TOTAL, free: freeMib * MIB }, held, before), refused));
}

test("the reserve is 5 % of a volume, but a fifth of a small one, at least 64 MiB of others, and at most 1 GiB", () => {
  assert.equal(reserveOf(10_240 * MIB), 512 * MIB);
  assert.equal(reserveOf(1_000_000 * MIB), 1_024 * MIB);
  assert.equal(reserveOf(1_000 * MIB), 64 * MIB);
  assert.equal(reserveOf(100 * MIB), 20 * MIB);
});
