import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterView, pod } from "../../../../test/kit/facts/cluster-view.ts";
import { findingBehind } from "../findings/step.ts";
import { targetTag } from "../view/target.ts";
import type { ClusterView } from "../view/cluster-view.ts";
import { planCluster } from "./plan.ts";

const lacking: Partial<ClusterView> = { pods: [pod(0), pod(1)] };

const cases: readonly { readonly name: string; readonly view: Partial<ClusterView>; readonly remedy?: RegExp }[] = [
  { name: "a pod that was deleted just now ends unasked", view: { ...lacking, podsMissingMs: 500 } },
  { name: "pods whose time is not known end unasked", view: lacking },
  {
    name: "a pod that does not come is refused, and the finding names what shows why",
    view: { ...lacking, podsMissingMs: 10_000 },
    remedy: /: kubectl describe sts rec$/,
  },
  {
    name: "a pod whose name another has comes when that one is ended",
    view: { ...lacking, podsMissingMs: 10_000, namesakes: [{ ordinal: 2, isNode: false }] },
    remedy: /: kubectl delete pod rec-2$/,
  },
];

for (const { name, view: change, remedy } of cases)
  test(`missing pods: ${name}`, () => {
    const view = clusterView(change);
    const { step, findings } = planCluster(view, `template of ${targetTag(view)}`);
    assert.equal(step.kind === "wait" && step.wait.id, "PodMissing");
    const found = findingBehind(step);
    assert.deepEqual(findings, found === undefined ? [] : [found]);
    assert.equal(found === undefined, remedy === undefined);
    if (remedy !== undefined) assert.match(found?.remedy ?? "", remedy);
  });

test("missing pods: a StatefulSet controller that has not seen the last writing is waited for only while no pod is refused", () => {
  const { workload } = clusterView();
  const behind = workload && { ...workload, observed: false };
  const steps = [500, 10_000].map((podsMissingMs) => {
    const view = clusterView({ ...lacking, workload: behind, podsMissingMs });
    const { step } = planCluster(view, `template of ${targetTag(view)}`);
    return step.kind === "wait" && step.wait.id;
  });
  assert.deepEqual(steps, ["StatefulSetBehind", "PodMissing"]);
});

const edits: readonly { readonly name: string; readonly view: Partial<ClusterView>; readonly step: string }[] = [
  {
    name: "is given to the pod that is refused, and to no pod that is there",
    view: { ...lacking, podsMissingMs: 10_000 },
    step: "write-workload 2",
  },
  {
    name: "is given to all pods that are refused",
    view: { pods: [pod(0)], podsMissingMs: 10_000 },
    step: "write-workload 1",
  },
  {
    name: "waits where a pod above the one that is refused would be replaced",
    view: { pods: [pod(0), pod(2)], podsMissingMs: 10_000 },
    step: "PodMissing",
  },
  { name: "waits for a pod that is being made", view: { ...lacking, podsMissingMs: 500 }, step: "QuorumAtRisk" },
];

for (const { name, view, step } of edits)
  test(`missing pods: a template that was edited meanwhile ${name}`, () => {
    const { step: found } = planCluster(clusterView(view), "another template");
    const said = found.kind === "act" ? Object.values(found.act).join(" ") : found.kind === "wait" && found.wait.id;
    assert.equal(said, step);
  });
