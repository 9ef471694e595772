import assert from "node:assert/strict";
import { test } from "node:test";
import { block } from "../planner/findings/finding.ts";
import { decideBackup, type BackupFacts, type SeenFailure } from "./decide.ts";
import { stepWords } from "./testing/step-words.ts";

const FACTS: BackupFacts = {
  name: "nightly-1a2b",
  phase: undefined,
  attempts: 0,
  begunAt: undefined,
  madeAt: 0,
  deadlineMs: 3_600_000,
  now: 1_000,
  seen: undefined,
  obstacle: undefined,
};
const BEGUN = { attempts: 1, begunAt: 1_000 } as const;
const SECRET = block("SecretMissing", "there is no Secret keys", "make it");

for (const [rule, facts, step, reason] of [
  ["one that nothing keeps is begun", {}, "begin", ""],
  ["one that is complete rests", { phase: "Completed" }, "rest", ""],
  ["one that has failed rests, whatever the cluster takes", { phase: "Failed", seen: own("completed") }, "rest", ""],
  ["one without its Secret waits", { obstacle: SECRET }, "wait", "SecretMissing"],
  ["one that runs is followed", { ...BEGUN, seen: own("running") }, "follow", ""],
  ["one whose cluster takes another one waits", { seen: { name: "other", status: "running" } }, "wait", "AnotherRuns"],
  ["another one that has ended keeps none", { seen: { name: "other", status: "failed" } }, "begin", ""],
  ["one that the cluster has taken is complete", { ...BEGUN, seen: own("completed") }, "complete", ""],
  [
    "one that was complete before the deadline was noticed is complete",
    { ...BEGUN, seen: own("completed"), now: 3_600_000 },
    "complete",
    "",
  ],
  ["one that failed for ever has failed", { ...BEGUN, seen: failed("never") }, "fail", "ObjectStoreBucket"],
  ["one that may succeed later waits", { ...BEGUN, seen: failed("backoff") }, "wait", "ObjectStoreBucket"],
  ["and is begun again", { ...BEGUN, seen: failed("backoff"), now: 11_000 }, "begin", ""],
  [
    "later each time",
    { attempts: 4, begunAt: 1_000, seen: failed("backoff"), now: 60_000 },
    "wait",
    "ObjectStoreBucket",
  ],
  ["one that was lost with its node is begun again", { ...BEGUN, now: 11_000 }, "begin", ""],
  ["but not at once", { ...BEGUN }, "wait", "Lost"],
  [
    "one that is not begun in time has failed, with what kept it",
    { obstacle: SECRET, now: 3_600_000 },
    "fail",
    "DeadlineExceeded",
  ],
  [
    "one that fails again and again has failed in the end",
    { ...BEGUN, seen: failed("backoff"), now: 3_600_000 },
    "fail",
    "DeadlineExceeded",
  ],
  ["one that runs too long has failed", { ...BEGUN, seen: own("running"), now: 3_600_000 }, "fail", "DeadlineExceeded"],
] as const satisfies readonly (readonly [string, Partial<BackupFacts>, string, string])[])
  test(rule, () => {
    const decided = decideBackup({ ...FACTS, ...facts });
    assert.deepEqual(stepWords(decided.step), [step, reason]);
  });

test("what failed in the end says the last reason", () => {
  const { step } = decideBackup({ ...FACTS, obstacle: SECRET, now: 3_600_000 });
  assert.ok(step.kind === "act" && step.act.kind === "fail");
  assert.match(step.act.finding.evidence, /3600 s; the last reason: there is no Secret keys$/);
  assert.match(step.act.finding.remedy, /^make it; then make another one/);
});

function own<const Status extends "running" | "completed">(status: Status) {
  return { name: FACTS.name, status };
}

function failed(retry: SeenFailure["retry"]) {
  const failure = { error_code: "OBJECT_STORE_BUCKET", description: "no bucket.", remedy: "Make it.", retry };
  return { name: FACTS.name, status: "failed", failure } as const;
}
