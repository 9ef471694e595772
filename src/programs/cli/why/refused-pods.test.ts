import assert from "node:assert/strict";
import { test } from "node:test";
import { blockedAnswer } from "./answer.ts";
import { withRefusal } from "./refused-pods.ts";

const REFUSAL = 'Error creating: pods "rec-2" is forbidden: exceeded quota';

function event(kind: string, name: string, reason: string) {
  return { kind, name, reason, message: REFUSAL, since: "2026-01-01T00:00:00Z", last: "2026-01-01T00:01:00Z" };
}

const refused = event("StatefulSet", "rec", "FailedCreate");

for (const [name, rule, events, isAdded] of [
  ["is added to the answer that pods are missing", "PodMissing", [event("Pod", "rec-2", "Failed"), refused], true],
  ["belongs to no other answer", "PodNotRunning", [refused], false],
  ["of another StatefulSet says nothing", "PodMissing", [event("StatefulSet", "other", "FailedCreate")], false],
] as const)
  test(`why a pod is refused ${name}`, () => {
    const answer = blockedAnswer("rec/rec", rule, "1 of 3 node pods is not there yet", "kubectl describe sts rec");
    const { evidence } = withRefusal(answer, "rec", events);
    assert.equal(evidence.endsWith(`(2026-01-01T00:01:00Z): ${REFUSAL}`), isAdded);
    assert.ok(evidence.startsWith(answer.evidence));
  });

test("why a pod is refused by a quota comes with the line that makes the quota admit it", () => {
  const answer = blockedAnswer(
    "rec/rec",
    "PodMissing",
    "1 of 3 node pods is not there yet",
    "kubectl describe sts rec",
  );
  const message = `${REFUSAL}: objects, requested: pods=1, used: pods=5, limited: pods=5`;
  const { clears } = withRefusal(answer, "rec", [{ ...refused, message }]);
  assert.match(clears, /kubectl patch resourcequota objects .*"pods":"6"/);
  assert.equal(withRefusal(answer, "rec", [refused]).clears, answer.clears);
});
