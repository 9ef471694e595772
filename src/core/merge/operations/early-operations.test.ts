import assert from "node:assert/strict";
import { test } from "node:test";
import { EarlyOperations } from "./early-operations.ts";
import { Site } from "../site.ts";
import { withBytes, type CodedOperation } from "./operation-codec.ts";
import { NOTHING, pairsOf, vectorOf } from "./version-vector.ts";

/** Of site 2, which has seen the first operation of site 3. */
const early = (seq: number): CodedOperation =>
  withBytes({ dot: { origin: 2, seq }, at: { wall: 1, count: seq, site: 2 }, seen: vectorOf([[3, 1]]), effects: [] });
const FOR_TWO = 1_200;

test("an operation that came early is kept until what it follows is here, and is there once however often it comes", () => {
  const operations = new EarlyOperations(FOR_TWO);
  for (let time = 0; time < 10; time += 1) assert.equal(operations.add(early(1)), true);
  assert.equal(operations.all().length, 1);
  assert.equal(operations.takeReady(NOTHING), undefined);
  assert.equal(operations.takeReady(vectorOf([[3, 1]]))?.dot.seq, 1);
  assert.deepEqual(operations.all(), []);
});

test("what does not fit is not kept, whatever came before it, and fits when others are taken or dropped", () => {
  const operations = new EarlyOperations(FOR_TWO);
  const adds = (...seqs: readonly number[]) => seqs.map((seq) => operations.add(early(seq)));
  assert.deepEqual(adds(1, 2, 3, 2), [true, true, false, true]);
  operations.takeReady(vectorOf([[3, 1]]));
  assert.deepEqual(adds(3, 4), [true, false]);
  operations.drop(vectorOf([[2, 3]]));
  assert.deepEqual(operations.all(), []);
  assert.deepEqual(adds(4, 5, 6), [true, true, false]);
  operations.remove({ origin: 2, seq: 4 });
  assert.deepEqual(adds(5, 6, 7), [true, true, false]);
});

test("an operation larger than all that may be kept is not kept", () => {
  const operations = new EarlyOperations(100);
  assert.equal(operations.add(early(1)), false);
  assert.deepEqual(operations.all(), []);
});

test("what was saved is kept, however much that is", () => {
  const operations = new EarlyOperations(0);
  operations.restore(early(1));
  assert.equal(operations.add(early(2)), false);
  assert.deepEqual(operations.all(), [early(1)]);
});

test("a site takes the operation that all others wait for, however little room they leave", () => {
  const limits = { keptBytes: Infinity, earlyBytes: FOR_TWO, partKeys: 1 };
  const site = Site.empty({ origin: 1, sites: [1, 2, 3], life: "a", limits });
  assert.deepEqual(
    [1, 2, 3].map((seq) => site.receive(early(seq), 2)?.length),
    [0, 0, undefined],
  );
  const cause = withBytes({
    dot: { origin: 3, seq: 1 },
    at: { wall: 1, count: 0, site: 3 },
    seen: NOTHING,
    effects: [],
  });
  assert.equal(site.receive(cause, 3)?.length, 3);
  assert.equal(site.receive(early(3), 2)?.length, 1);
  assert.deepEqual(
    [...pairsOf(site.received)],
    [
      [2, 3],
      [3, 1],
    ],
  );
});
