import assert from "node:assert/strict";
import { test } from "node:test";
import { RangeTurns } from "./range-turns.ts";

test("each range that differs has its turn, whichever differ in between", () => {
  const turns = new RangeTurns();
  assert.deepEqual([...turns.next([1, 4, 6, 9], 2)], [1, 4]);
  assert.deepEqual([...turns.next([1, 4, 6, 9], 2)], [6, 9]);
  assert.deepEqual([...turns.next([1, 4, 5, 9], 3)], [1, 4, 5]);
  assert.deepEqual([...turns.next([1, 3, 9], 2)], [9, 1]);
  assert.deepEqual([...turns.next([], 2)], []);
  assert.deepEqual([...turns.next([7], 2)], [7]);
});
