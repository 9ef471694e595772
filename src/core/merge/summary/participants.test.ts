import assert from "node:assert/strict";
import { test } from "node:test";
import { originOf } from "../operations/origin.ts";
import { NOTHING, pairsOf, vectorOf } from "../operations/version-vector.ts";
import { Participants } from "./participants.ts";

const TWO = originOf(2, 0);
const SEEN = vectorOf([[1, 5]]);

const untrue: readonly (readonly [what: string, origin: number])[] = [
  ["an incarnation that no site can have had", originOf(2, 2 ** 30 + 1)],
  ["what is no origin", 2 ** 53 - 2],
  ["a later incarnation of the own site", originOf(1, 3)],
];

for (const [what, origin] of untrue)
  test(`what a third site says takes no site its place: ${what}`, () => {
    const participants = new Participants(1, [1, 2], []);
    participants.hasSeen(1, SEEN);
    participants.begins(TWO);
    participants.learn(origin, NOTHING);
    participants.states(TWO, { sites: [1, 2], received: SEEN, forgotten: NOTHING });
    participants.hasSeen(TWO, SEEN);
    assert.deepEqual([...pairsOf(participants.agreed(SEEN))], [[1, 5]]);
    assert.deepEqual(
      participants.seenBy.map((each) => each.origin),
      [1, TWO],
    );
  });

test("a site with such an incarnation counts when it says so itself", () => {
  const participants = new Participants(1, [1, 2], []);
  const late = originOf(2, 2 ** 30 + 1);
  participants.begins(late);
  participants.learn(late, SEEN);
  assert.deepEqual([...pairsOf(participants.seenBy[0]?.seen ?? NOTHING)], [[1, 5]]);
});

test("what an earlier release has saved of no site is left out", () => {
  const participants = new Participants(1, [1, 2], [{ origin: 64, seen: SEEN }]);
  assert.deepEqual(participants.seenBy, []);
});
