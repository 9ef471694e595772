import assert from "node:assert/strict";
import { test } from "node:test";
import { FailedSteps } from "./failed-steps.ts";

const notFenced = { code: "AGENT_NOT_FENCED" };
const other = { code: "AGENT_MOVE_NOT_DONE" };
const failOver = { kind: "fail-over", shard: 1, to: 2 } as const;
const resume = { kind: "resume-switchover", shard: 1 } as const;

test("a step that failed pauses, whatever is done in between, and that which takes it back does not", () => {
  const steps = new FailedSteps();
  assert.equal(steps.note(failOver, other, 0), 300);
  assert.deepEqual([steps.waitMs(failOver, 0), steps.waitMs(resume, 0)], [300, 0]);
  steps.note(resume, notFenced, 0);
  const toAnother = { ...failOver, to: 3 };
  assert.deepEqual([steps.waitMs(toAnother, 110), steps.waitMs(resume, 110)], [190, 0]);
  assert.equal(steps.waitMs(failOver, 300), 0);
});

test("the same step of another shard begins at once, and it is known what pauses", () => {
  const steps = new FailedSteps();
  steps.note(failOver, notFenced, 0);
  steps.note({ kind: "switch-table" }, other, 0);
  assert.equal(steps.waitMs({ kind: "fail-over", shard: 2 }, 10), 0);
  assert.deepEqual(steps.pausing(10), [{ kind: "fail-over", shard: 1 }, { kind: "switch-table" }]);
  assert.deepEqual(steps.pausing(100), [{ kind: "switch-table" }]);
  assert.equal(steps.waitMs({ kind: "switch-table" }, 100), 200);
});

test("a step for which another record was there by then is decided anew soon, and not by a reading that is as old", () => {
  const steps = new FailedSteps();
  assert.equal(steps.note(failOver, { code: "AGENT_RECORD_MOVED" }, 5), 20);
  assert.deepEqual([steps.waitMs(failOver, 5), steps.waitMs(failOver, 25)], [20, 0]);
});

test("two steps that undo each other are begun as often as their pauses allow, and no more", () => {
  const steps = new FailedSteps();
  let begun = 0;
  // each change of the record asks for a pass at once, as if none had failed
  for (let now = 0; now < 9_000; now++) {
    if (steps.waitMs(failOver, now) > 0) continue;
    begun++;
    steps.note(failOver, notFenced, now);
  }
  assert.equal(begun, 90);
});

test("of several steps that pause, the one whose pause ends first is not waited for any longer", () => {
  const steps = new FailedSteps();
  steps.note(resume, other, 0);
  steps.note({ kind: "fail-over", shard: 2 }, notFenced, 0);
  assert.deepEqual([steps.waitMs(resume, 0), steps.waitMs(resume, 100)], [100, 200]);
});
