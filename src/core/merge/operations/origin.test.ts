import assert from "node:assert/strict";
import { test } from "node:test";
import { isOrigin, isOutnumbered, originAfter, originOf } from "./origin.ts";
import { NOTHING, vectorOf, type VersionVector } from "./version-vector.ts";

const SITE = 1;
const of = (...pairs: readonly (readonly [origin: number, seq: number])[]): VersionVector => vectorOf(pairs);
const LAST = { origin: originOf(SITE, 2), seq: 10 };
const NOW = Date.UTC(2025, 0, 31);

const outnumbered: readonly (readonly [rule: string, received: VersionVector, is: boolean])[] = [
  ["by nothing", NOTHING, false],
  ["by what it has itself", of([LAST.origin, 10]), false],
  ["by a later operation", of([LAST.origin, 11]), true],
  ["by a later incarnation, even if that has made none", of([originOf(SITE, 3), 0]), true],
  ["not by an earlier incarnation: what that lacks comes back", of([originOf(SITE, 1), 99]), false],
  ["not by other sites", of([originOf(2, 9), 99]), false],
  ["not by an incarnation that takes all numbers which a site has", of([originOf(SITE, 2 ** 30 + 1), 1]), false],
];

for (const [rule, received, is] of outnumbered)
  test(`a site is outnumbered: ${rule}`, () => {
    assert.equal(isOutnumbered(LAST, [NOTHING, received]), is);
  });

const BY_CLOCK = 129_600; // thirty days of 20 s

const next: readonly (readonly [rule: string, received: VersionVector, isComplete: boolean, incarnation: number])[] = [
  ["is the next one when all have answered", NOTHING, true, 3],
  ["is above what another site remembers", of([originOf(SITE, 7), 1]), true, 8],
  ["follows the clock while a site has not answered", NOTHING, false, BY_CLOCK],
  ["is not above what no site can have had", of([originOf(SITE, 2 ** 31), 1], [originOf(SITE, 4), 1]), true, 5],
  ["is never below what is known", of([originOf(SITE, BY_CLOCK + 5), 1]), false, BY_CLOCK + 6],
];

for (const [rule, received, isComplete, incarnation] of next)
  test(`the incarnation of a site that may have forgotten ${rule}`, () => {
    assert.equal(originAfter(LAST, { received: [received], isComplete }, NOW), originOf(SITE, incarnation));
  });

test("a number is an origin when a site has it, and not beyond all that sites can have", () => {
  for (const origin of [1, 63, originOf(63, 2 ** 31)]) assert.ok(isOrigin(origin), String(origin));
  for (const origin of [0, 64, -1, 1.5, originOf(1, 2 ** 31 + 1), 2 ** 53 + 2])
    assert.ok(!isOrigin(origin), String(origin));
});

test("whatever another site says, a site goes on above its own number, and others can read the next one", () => {
  const high = { origin: originOf(SITE, 2 ** 30 + 7), seq: 1 };
  const next = originAfter(high, { received: [of([originOf(SITE, 2 ** 31), 1])], isComplete: true }, NOW);
  assert.equal(next, originOf(SITE, 2 ** 30 + 8));
  assert.ok(isOrigin(next));
});
