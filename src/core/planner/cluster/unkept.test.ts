import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterView, facts, node, pod, upgrading } from "../../../../test/kit/facts/cluster-view.ts";
import { wait } from "../findings/finding.ts";
import { targetTag } from "../view/target.ts";
import type { ClusterView } from "../view/cluster-view.ts";
import { planCluster } from "./plan.ts";

const unkept = [wait("StepFailed", "the Role cannot be written", "kubectl logs deployment/store-enterprise-operator")];

const leaving = [pod(0), pod(1), pod(2, { inService: false })];
const evacuated = facts({ nodes: [node(1), node(2), node(3, { maintenance: true, acceptsClients: false })] });

const cases: readonly {
  readonly name: string;
  readonly view: Partial<ClusterView>;
  /** The act in an ordinary pass. */
  readonly otherwise: string;
  readonly step: string;
}[] = [
  { name: "a roll does not begin", view: upgrading, otherwise: "gate", step: "StepFailed" },
  {
    name: "a node that is evacuated comes back",
    view: { ...upgrading, pods: leaving, cluster: evacuated },
    otherwise: "EvacuatingNode",
    step: "take-back",
  },
  {
    name: "a gate that is shut is opened",
    view: { ...upgrading, pods: leaving },
    otherwise: "evacuate",
    step: "gate",
  },
  {
    name: "a cluster is not made",
    view: { workload: undefined, pods: [] },
    otherwise: "write-workload",
    step: "StepFailed",
  },
  { name: "a cluster at rest waits for it", view: {}, otherwise: "rest", step: "StepFailed" },
];

for (const { name, view: change, otherwise, step } of cases)
  test(`while something cannot be kept beside the act: ${name}`, () => {
    const view = clusterView(change);
    const wanted = `template of ${targetTag(view)}`;
    assert.equal(said(planCluster(view, wanted).step), otherwise);
    const decision = planCluster(view, wanted, { unkept });
    assert.equal(said(decision.step), step);
    assert.deepEqual(
      decision.findings.filter(({ id }) => id === "StepFailed"),
      unkept,
    );
  });

function said(step: ReturnType<typeof planCluster>["step"]): string {
  return step.kind === "act" ? step.act.kind : step.kind === "wait" ? step.wait.id : step.kind;
}
