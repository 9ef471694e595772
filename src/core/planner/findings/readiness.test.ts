import assert from "node:assert/strict";
import { test } from "node:test";
import { block, wait, warn } from "./finding.ts";
import { readiness, type ReadinessFacts } from "./readiness.ts";

const refused = block("UpgradePolicyMajor", "the policy forbids it", "change it");
const waits = wait("ClusterNotReady", "no node answers", "look");
const noted = warn("UpgradedByHand", "it is higher", "write it");

const cases: readonly [rule: string, isReady: boolean, facts: ReadinessFacts, reconciling: string, stalled: string][] =
  [
    ["at rest", true, { isMoving: false, findings: [] }, "False AtRest", "False NotStalled"],
    ["a note stalls nothing", true, { isMoving: false, findings: [noted] }, "False AtRest", "False NotStalled"],
    ["what moves is no failure", false, { isMoving: true, findings: [refused] }, "True Why", "False NotStalled"],
    ["what ends without a person", false, { isMoving: false, findings: [waits] }, "True Why", "False NotStalled"],
    ["a refused edit", false, { isMoving: false, findings: [refused] }, "False Stalled", "True UpgradePolicyMajor"],
    ["it serves, and a copy is on its way", true, { isMoving: true, findings: [] }, "True Why", "False NotStalled"],
  ];

for (const [rule, isReady, facts, reconciling, stalled] of cases) {
  test(`what deploy tools read: ${rule}`, () => {
    const ready = { type: "Ready", status: isReady ? "True" : "False", reason: "Why", message: "so" } as const;
    const said = readiness(ready, facts).map(({ type, status, reason }) => `${type} ${status} ${reason}`);
    assert.deepEqual(said, [`Ready ${ready.status} Why`, `Reconciling ${reconciling}`, `Stalled ${stalled}`]);
  });
}
