import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  covers,
  coversAll,
  withDot,
  includingAll,
  isNothing,
  lowest,
  NOTHING,
  pairsOf,
  seqOf,
  union,
  vectorOf,
  without,
  type Dot,
  type VersionVector,
} from "./version-vector.ts";

const origin = fc.integer({ min: 1, max: 6 });
const dots: fc.Arbitrary<Dot[]> = fc.array(fc.record({ origin, seq: fc.integer({ min: 1, max: 9 }) }), {
  maxLength: 8,
});
const vector = dots.map((each) => includingAll(NOTHING, each));

/** For any three vectors and an operation. */
function always(rule: string, holds: (a: VersionVector, b: VersionVector, c: VersionVector, dot: Dot) => void): void {
  test(`version vectors: ${rule}`, () => {
    fc.assert(fc.property(vector, vector, vector, fc.record({ origin, seq: fc.nat(9) }), holds));
  });
}

always("it contains all operations up to the number of an origin, and no other one", (a, _b, _c, dot) => {
  assert.equal(covers(a, dot), dot.seq <= seqOf(a, dot.origin));
});

always("the order of origins in which it was made does not show", (a) => {
  assert.deepEqual(vectorOf([...pairsOf(a)].reverse()), a);
});

always("an origin that is only named adds nothing", (a, b) => {
  const named = vectorOf([...pairsOf(a), [7, 0]]);
  assert.deepEqual([...pairsOf(named)], [...pairsOf(a), [7, 0]]);
  assert.deepEqual([without(named, b), lowest([named, named])], [without(a, b), a]);
  assert.ok(coversAll(union(b, a), named) && coversAll(a, named));
});

always("what a union contains, one of both contains", (a, b, _c, dot) => {
  assert.equal(covers(union(a, b), dot), covers(a, dot) || covers(b, dot));
});

always("the order and the number of unions make no difference", (a, b, c) => {
  assert.deepEqual(union(a, b), union(b, a));
  assert.deepEqual(union(union(a, b), c), union(a, union(b, c)));
  assert.equal(union(a, a), a);
});

always("one covers another one when the union of both is itself", (a, b) => {
  assert.equal(coversAll(a, b), union(a, b) === a);
  assert.ok(coversAll(union(a, b), a) && coversAll(union(a, b), b) && coversAll(a, NOTHING));
});

always("one that contains an operation already stays the same list", (a, _b, _c, dot) => {
  assert.equal(withDot(a, dot) === a, covers(a, dot));
  assert.deepEqual(includingAll(a, [dot, dot]), withDot(a, dot));
});

always("what is left without another one is what that one lacks", (a, b) => {
  const left = without(a, b);
  assert.equal(isNothing(left), coversAll(b, a));
  assert.deepEqual(union(b, left), union(a, b));
  for (const [each, seq] of pairsOf(left)) assert.ok(seq === seqOf(a, each) && seq > seqOf(b, each));
});

always("the lowest contains what all of them contain", (a, b, c, dot) => {
  assert.equal(
    covers(lowest([a, b, c]), dot),
    [a, b, c].every((each) => covers(each, dot)),
  );
});

test("version vectors: the lowest of none contains nothing", () => {
  assert.ok(isNothing(lowest([])));
});
