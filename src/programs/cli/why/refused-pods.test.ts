import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterView } from "../../../../test/kit/facts/cluster-view.ts";
import type { Quota } from "../../../core/planner/prerequisites/exceeded-quota.ts";
import { blockedAnswer } from "./answer.ts";
import type { WarningEvent } from "./answers.ts";
import { withRefusal } from "./refused-pods.ts";

const REFUSAL = 'Error creating: pods "rec-2" is forbidden: exceeded quota: objects';
const BY_QUOTA = `${REFUSAL}, requested: pods=1, used: pods=5, limited: pods=5`;
const OPERATOR = "store-enterprise-operator-5d8f";

function event(kind: string, name: string, reason: string, message = REFUSAL): WarningEvent {
  return { kind, name, reason, message, since: "2026-01-01T00:00:00Z", last: "2026-01-01T00:01:00Z" };
}

const refused = event("StatefulSet", "rec", "FailedCreate");
const usual = clusterView();
const spec = { ...usual.spec, storeEnterpriseNodeResources: { requests: { cpu: "2" } } };
const view = clusterView({ spec, pods: usual.pods.slice(1) });

function answer(rule: string) {
  return blockedAnswer("rec/rec", rule, "1 of 3 node pods is not there yet", "kubectl describe sts rec");
}

for (const [name, rule, events, isAdded] of [
  ["is added to the answer that pods are missing", "PodMissing", [event("Pod", "rec-2", "Failed"), refused], true],
  ["belongs to no other answer", "PodNotRunning", [refused], false],
  ["of another StatefulSet says nothing", "PodMissing", [event("StatefulSet", "other", "FailedCreate")], false],
  ["of the operator is added", "OperatorNotReady", [event("ReplicaSet", OPERATOR, "FailedCreate")], true],
  ["of another Deployment says nothing", "OperatorNotReady", [event("ReplicaSet", "web-1", "FailedCreate")], false],
] as const)
  test(`why a pod is refused ${name}`, () => {
    const { evidence } = withRefusal(answer(rule), { view, events, quotas: undefined });
    assert.equal(evidence.endsWith(`(2026-01-01T00:01:00Z): ${REFUSAL}`), isAdded);
    assert.ok(evidence.startsWith(answer(rule).evidence));
  });

const FULL: Quota = { name: "objects", hard: { pods: "5" }, used: { pods: "5" } };
const UNSAID =
  'create Pod rec-2 failed: pods "rec-2" is forbidden: failed quota: objects: must specify limits.cpu for: x';

for (const [name, message, quotas, clears, isAdmitted] of [
  ["by a quota comes with the line that makes the quota admit it", BY_QUOTA, undefined, /"pods":"6"/, false],
  [
    "by a quota that was raised too little: by what is used now",
    BY_QUOTA,
    [{ ...FULL, used: { pods: "6" } }],
    /"pods":"7"/,
    false,
  ],
  [
    "by a quota that was raised since: that it is tried again",
    BY_QUOTA,
    [{ ...FULL, hard: { pods: "6" } }],
    /^kubectl describe/,
    true,
  ],
  ["by a quota that is gone: the same", BY_QUOTA, [], /^kubectl describe/, true],
  ["by something else: where to look", REFUSAL, [], /^kubectl describe/, false],
  [
    "for what its containers do not say: that the nodes say it",
    UNSAID,
    undefined,
    /kubectl patch rec rec .*"limits":\{"cpu":"2"\}/,
    false,
  ],
] as const)
  test(`why a pod is refused ${name}`, () => {
    const events = [{ ...refused, message }];
    const found = withRefusal(answer("PodMissing"), { view, events, quotas });
    assert.match(found.clears, clears);
    assert.equal(
      found.evidence.endsWith("the quota admits it now, and it is tried again within some minutes"),
      isAdmitted,
    );
  });
