import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { REQUEST_LIMITS } from "../protocol/request-limits.ts";
import { PartialRequest } from "./partial-request.ts";

const KIB = 1024;

test("what was collected is what arrived, however it arrived and whatever was missing", () => {
  const part = fc.record({
    length: fc.integer({ min: 1, max: 70 * KIB }),
    missing: fc.integer({ min: 1, max: 2 ** 20 }),
  });
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 6 }),
      fc.integer({ max: 70 * KIB, min: 1 }),
      (parts, tail) => {
        const partial = new PartialRequest();
        const sent = [...parts.map(({ length }) => length), tail].map((length, i) => Buffer.alloc(length, i + 1));
        for (const [i, { missing }] of parts.entries()) partial.push(sent[i] ?? assert.fail(), missing);
        assert.ok(partial.collected.equals(Buffer.concat(sent.slice(0, -1))));
        assert.ok(partial.join(sent.at(-1) ?? assert.fail()).equals(Buffer.concat(sent)));
        assert.ok(partial.empty);
        assert.equal(partial.heldBytes, 0);
      },
    ),
    { numRuns: 100 },
  );
});

test("a request whose length is known is copied once: all of it is collected in the memory of its beginning", () => {
  const partial = new PartialRequest();
  partial.push(Buffer.alloc(40 * KIB, 1), 30 * KIB);
  const { buffer } = partial.collected;
  assert.equal(partial.join(Buffer.alloc(30 * KIB, 2)).buffer, buffer);
});

test("a client that announces much gets memory for twice what it has sent", () => {
  const partial = new PartialRequest();
  partial.push(Buffer.alloc(100), REQUEST_LIMITS.string);
  assert.equal(partial.heldBytes, 200);
  partial.push(Buffer.alloc(300 * KIB), REQUEST_LIMITS.string);
  assert.ok(partial.heldBytes < 700 * KIB, `${partial.heldBytes} bytes`);
});

test("a request becomes too large to be collected, and does so again each time that it is twice as large", () => {
  const partial = new PartialRequest();
  const most = REQUEST_LIMITS.collectedBytes;
  const pushes = [1, most - 1, 1, 1, most - 2, 1, 1, 2 * most].map((length) => partial.push(Buffer.alloc(length), 1));
  assert.deepEqual(pushes, [false, false, true, false, false, true, false, true]);
});
