import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTurnMs, orderTurns, type Turn, withFailed } from "./turn.ts";

const turn = (shard: number, rule: number, isUnderWay = false, isPausing = false): Turn => ({
  shard,
  rule,
  isUnderWay,
  isPausing,
});
const order = (turns: readonly Turn[], failed?: ReadonlySet<number>): readonly number[] =>
  orderTurns(turns, failed).map(({ shard }) => shard);

test("the most urgent shard has the first turn, and of two alike the first", () => {
  assert.deepEqual(order([turn(1, 5), turn(2, 1), turn(3, 1)]), [2, 3, 1]);
});

test("what is under way comes last", () => {
  assert.deepEqual(order([turn(1, 1, true), turn(2, 5)]), [2, 1]);
  assert.deepEqual(order([turn(1, 1, true), turn(2, 5)], new Set([2])), [2, 1]);
});

test("of three shards whose steps never succeed each has its turn", () => {
  const all = [turn(1, 1), turn(2, 9), turn(3, 5)];
  const served: number[] = [];
  let failed: ReadonlySet<number> | undefined;
  for (let pass = 0; pass < 6; pass += 1) {
    const [next = 0] = order(all, failed);
    failed = withFailed(failed, next);
    served.push(next);
  }
  assert.deepEqual(served, [1, 3, 2, 1, 3, 2]);
});

test("what pauses keeps no other shard from its turn, not even from what is under way", () => {
  assert.deepEqual(order([turn(1, 1, false, true), turn(2, 5)], new Set([1, 2])), [2, 1]);
  assert.deepEqual(order([turn(1, 1, false, true), turn(2, 5, true)]), [2, 1]);
});

test("others have their turn soon after a step that did not succeed, and all pause when each has had it", () => {
  const passes: number[] = [];
  let failed: ReadonlySet<number> | undefined;
  for (let pass = 0; pass < 6; pass += 1) {
    const [next = 0] = order([turn(1, 1), turn(2, 1), turn(3, 1)], failed);
    passes.push(nextTurnMs(failed, next, 100));
    failed = withFailed(failed, next);
  }
  assert.deepEqual(passes, [10, 10, 10, 100, 10, 10]);
});
