import assert from "node:assert/strict";
import { test } from "node:test";
import { EarlyOperations } from "./early-operations.ts";
import { withBytes, type CodedOperation } from "./operation-codec.ts";
import { NOTHING, vectorOf } from "./version-vector.ts";

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
  assert.equal(operations.isEmpty, true);
});

test("what does not fit is not kept, whatever came before it, and fits when others are taken or dropped", () => {
  const operations = new EarlyOperations(FOR_TWO);
  const adds = (...seqs: readonly number[]) => seqs.map((seq) => operations.add(early(seq)));
  assert.deepEqual(adds(1, 2, 3, 2), [true, true, false, true]);
  operations.takeReady(vectorOf([[3, 1]]));
  assert.deepEqual(adds(3, 4), [true, false]);
  operations.drop(vectorOf([[2, 3]]));
  assert.equal(operations.isEmpty, true);
  assert.deepEqual(adds(4, 5, 6), [true, true, false]);
});

test("an operation larger than all that may be kept is not kept", () => {
  const operations = new EarlyOperations(100);
  assert.equal(operations.add(early(1)), false);
  assert.equal(operations.isEmpty, true);
});
