import assert from "node:assert/strict";
import { test } from "node:test";
import { planCluster } from "../../../src/core/planner/cluster/plan.ts";
import type { ClusterView } from "../../../src/core/planner/view/cluster-view.ts";
import { targetTag } from "../../../src/core/planner/view/target.ts";
import { clusterView } from "./cluster-view.ts";

/** A cluster, and what the planner makes of it. */
export interface PlanCase {
  readonly name: string;
  readonly view: Partial<ClusterView>;
  readonly state: string;
  readonly findings?: readonly string[];
  /** Act or reason of the wait. */
  readonly step?: string;
  readonly suspended?: string;
}

/** A test for each case. A view whose template is "bad template" has a workload as its spec says. */
export function testPlans(cases: readonly PlanCase[]): void {
  for (const { name, view: change, ...want } of cases) {
    test(`planCluster: ${name}`, () => {
      const view = clusterView(change);
      const bad = view.workload?.template === "bad template";
      const decision = planCluster(view, bad ? "bad template" : `template of ${targetTag(view)}`);
      const { step } = decision;
      const said = step.kind === "act" ? spell(step.act) : step.kind === "wait" ? step.wait.id : "rest";
      assert.equal(decision.state, want.state);
      assert.deepEqual(
        decision.findings.map(({ id }) => id),
        want.findings ?? [],
      );
      if (want.step !== undefined) assert.equal(said, want.step);
      assert.equal(decision.suspension?.id, want.suspended);
    });
  }
}

function spell(act: object): string {
  const { kind, ...rest } = act as { kind: string };
  return [kind, ...(kind === "gate" || kind === "evacuate" ? Object.values(rest) : [])].join(" ");
}
