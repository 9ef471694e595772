import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isFault } from "#kit/base/fault";
import { faults } from "../faults.ts";
import type { Effect, Operation } from "./operation.ts";
import { decodeRacedKeys, encodeRacedKeys } from "../state/raced-keys.ts";
import { decodeSaved, encodeSaved } from "../saved/saved-site.ts";
import { originOf } from "./origin.ts";
import { decodeOperation, encodeOperation, withBytes } from "./operation-codec.ts";
import { NOTHING, vectorOf } from "./version-vector.ts";

const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array).toString("latin1"));
const type = fc.constantFrom("string", "list", "hash", "set", "zset");
const of = { type, key: bytes, element: bytes };
const seq = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const origin = fc
  .tuple(fc.integer({ min: 1, max: 63 }), fc.integer({ min: 0, max: 1_000 }))
  .map(([site, n]) => site + 64 * n);
const until = fc.oneof(fc.maxSafeInteger(), fc.constant(Number(2n ** 63n)), fc.constant(undefined));
const effect: fc.Arbitrary<Effect> = fc.oneof(
  fc.record({ kind: fc.constant("put"), ...of, value: fc.oneof(bytes, fc.array(bytes)) }),
  fc.record({ kind: fc.constant("add"), ...of, amount: fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }) }),
  fc.record({ kind: fc.constant("remove"), ...of }),
  fc.record({ kind: fc.constant("clear"), key: bytes }),
  fc.record({ kind: fc.constant("flush") }),
  fc.record({ kind: fc.constant("expire"), key: bytes, at: until }),
);
const operation: fc.Arbitrary<Operation> = fc
  .record({
    dot: fc.record({ origin, seq }),
    wall: fc.maxSafeNat(),
    count: fc.nat(),
    seen: fc.array(fc.tuple(origin, seq), { maxLength: 5 }).map((dots) => vectorOf(new Map(dots))),
    effects: fc.array(effect, { maxLength: 5 }),
  })
  .map(({ dot, wall, count, seen, effects }) => ({
    dot,
    at: { wall, count, site: dot.origin },
    seen,
    effects,
  }))
  .map((each) => structuredClone(each)); // with the prototype of all objects

test("an operation that was encoded is decoded as it was", () => {
  fc.assert(
    fc.property(operation, (each) => assert.deepEqual(decodeOperation(encodeOperation(each)), withBytes(each))),
  );
});

test("what has to be written again is read as it was saved", () => {
  const some = fc.record({ elements: fc.array(fc.record({ type, element: bytes })), hasExpiry: fc.boolean() });
  const raced = fc.record({ key: bytes, part: fc.oneof(fc.constant("all" as const), some) });
  fc.assert(
    fc.property(fc.array(raced, { maxLength: 5 }), (keys) => {
      const copies = structuredClone(keys); // with the prototype of all objects
      assert.deepEqual(decodeRacedKeys(encodeRacedKeys(copies)), copies);
    }),
  );
});

test("operations that a site keeps are saved by their bytes, and read again as they were", () => {
  const nothing = {
    seen: NOTHING,
    received: NOTHING,
    seenBy: [],
    forgotten: NOTHING,
    summaries: [],
    keys: [],
    flushes: NOTHING,
  };
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 5 }), (operations) => {
      const coded = operations.map(withBytes);
      const saved = { ...nothing, clock: { wall: 1, count: 0, site: 1 }, pending: coded, early: coded, kept: coded };
      assert.deepEqual(decodeSaved(encodeSaved(saved)), saved);
    }),
  );
});

test("an operation that lacks bytes at its end, or has more, is refused", () => {
  fc.assert(
    fc.property(operation, (each) => {
      const whole = encodeOperation(each);
      for (let length = 0; length < whole.length; length += 1)
        assert.throws(() => decodeOperation(whole.subarray(0, length)), isMalformed);
      assert.throws(() => decodeOperation(Uint8Array.from([...whole, 0])), isMalformed);
    }),
    { numRuns: 50 },
  );
});

test("an operation with a number that no site can have is refused: it would be said again to all others", () => {
  const beyond = originOf(1, 2 ** 31 + 1);
  const [kept, wrong] = [1, beyond].map((origin) => ({ origin, seq: 1 }));
  assert.ok(kept !== undefined && wrong !== undefined);
  const of = (dot: typeof kept, seen = NOTHING): Operation => {
    return { dot, at: { wall: 1, count: 0, site: dot.origin }, seen, effects: [] };
  };
  assert.deepEqual(decodeOperation(encodeOperation(of(kept))).dot, kept);
  assert.throws(() => decodeOperation(encodeOperation(of(wrong))), isMalformed);
  for (const origin of [0, 64, beyond])
    assert.throws(() => decodeOperation(encodeOperation(of(kept, vectorOf([[origin, 1]])))), isMalformed);
});

test("an operation of another format is refused", () => {
  fc.assert(
    fc.property(operation, fc.integer({ min: 2, max: 255 }), (each, format) => {
      const other = encodeOperation(each).with(0, format);
      assert.throws(() => decodeOperation(other), isMalformed);
    }),
  );
});

for (const [what, decode] of [
  ["operation", decodeOperation],
  ["saved site", decodeSaved],
] as const)
  test(`bytes of which some are wrong are a ${what}, or refused`, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (random) => {
        assert.ok(isKnownOrMalformed(() => decode(Uint8Array.from([1, ...random]))));
      }),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(operation, fc.nat(), fc.nat({ max: 255 }), (each, place, byte) => {
        const whole = encodeOperation(each);
        assert.ok(isKnownOrMalformed(() => decode(whole.with(place % whole.length, byte))));
      }),
    );
  });

function isKnownOrMalformed(decode: () => unknown): boolean {
  try {
    decode();
    return true;
  } catch (error) {
    return isMalformed(error);
  }
}

function isMalformed(error: unknown): boolean {
  return isFault(error, faults.malformed);
}
