import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterView, facts, node, pod } from "../../../../test/kit/facts/cluster-view.ts";
import { planCluster } from "./plan.ts";
import { explainWait, stuckPod } from "./stuck-pod.ts";
import { findingBehind, waitUnasked } from "../findings/step.ts";

const forced = { deleting: true, endsInMs: 0, finalizers: ["a/b", "c/d"] };
const release = `when nothing removes its finalizers: kubectl patch pod rec-1 --type merge -p '{"metadata":{"finalizers":null}}'`;
const end = "when its worker does not come back: kubectl delete pod rec-1 --force --grace-period=0";

for (const [rule, kept, evidence, remedy] of [
  ["deleted by force", forced, "pod rec-1 was deleted by force; finalizers keep it: a/b, c/d", release],
  [
    "overdue",
    { ...forced, endsInMs: -60_000 },
    "pod rec-1 is being deleted, and has not ended in the time that it had; finalizers keep it: a/b, c/d",
    `${end}; ${release}`,
  ],
] as const) {
  test(`a pod that is ${rule} and that finalizers keep is released by the command that its finding names`, () => {
    const finding = stuckPod(clusterView(), pod(1, kept));
    assert.deepEqual(
      [finding?.id, finding?.evidence, finding?.remedy],
      ["PodNotRunning", evidence, `look: kubectl describe pod rec-1; ${remedy}`],
    );
  });
}

test("a pod that ends in time, or that nothing keeps after it was deleted by force, needs no user", () => {
  for (const going of [
    { deleting: true, endsInMs: 5_000, finalizers: ["a/b"] },
    { deleting: true, endsInMs: 0 },
  ])
    assert.equal(stuckPod(clusterView(), pod(1, going)), undefined);
});

test("a StatefulSet that finalizers keep names them, and the way on", () => {
  const { workload, ...view } = clusterView();
  const leaving = workload && { ...workload, presence: "leaving" as const, finalizers: ["a/b"] };
  const { step } = planCluster({ ...view, workload: leaving }, "wanted");
  assert.match(
    step.kind === "wait" ? step.wait.evidence : "",
    /finalizers keep it: a\/b; .*: kubectl patch sts rec --type merge/,
  );
});

for (const [rule, inService, remedy] of [
  ["in service is left alone: it serves without Kubernetes", true, /^wait and do not delete the pod: .*within an hour/],
  ["out of service is made again", false, /^to make it again: kubectl delete pod rec-1$/],
] as const) {
  test(`a pod whose token Kubernetes refuses says so, and one that is ${rule}`, () => {
    const cluster = facts({ nodes: [node(1), node(2, { active: false }), node(3)] });
    const finding = stuckPod(clusterView({ cluster }), pod(1, { hasFormerAccount: true, inService }));
    assert.equal(finding?.id, "TokenRefused");
    assert.match(finding.evidence, /^pod rec-1 is older than its ServiceAccount/);
    assert.match(finding.remedy, remedy);
  });
}

test("a pod whose node is active has a token that is taken", () => {
  assert.equal(stuckPod(clusterView(), pod(1, { hasFormerAccount: true })), undefined);
});

for (const [rule, isNode, remedy] of [
  [
    "a node that lost its labels gets them back",
    true,
    /^give them back: kubectl patch pod rec-1 .*"storeenterprise.io\/role":"node"/,
  ],
  ["another pod with the name of a node ends", false, /^end it under this name: kubectl delete pod rec-1$/],
] as const) {
  test(`${rule}, says the finding of a wait for it`, () => {
    const view = clusterView({ pods: [pod(0), pod(2)], namesakes: [{ ordinal: 1, isNode }] });
    const step = explainWait(view, waitUnasked("StatefulSetBehind", "the controller takes up the new template"));
    const finding = findingBehind(step);
    assert.equal(finding?.id, "PodUnknown");
    assert.match(finding.remedy, remedy);
  });
}
