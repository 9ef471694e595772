import assert from "node:assert/strict";
import { test } from "node:test";
import { asking, clusterView, facts, NEW, node } from "../../../../test/kit/facts/cluster-view.ts";
import { clusterConditions } from "./conditions.ts";
import { planCluster } from "./plan.ts";
import { targetTag } from "../view/target.ts";
import type { ClusterView } from "../view/cluster-view.ts";

const silent = { reachable: false, reason: "no node answers on port 9443 (connection refused)" } as const;
const oneActive = facts({ nodes: [node(1), node(2, { active: false }), node(3, { active: false })] });

const cases: readonly {
  readonly name: string;
  readonly view: Partial<ClusterView>;
  readonly type: string;
  readonly says: string | RegExp;
}[] = [
  { name: "a healthy cluster", view: {}, type: "Available", says: "True AllNodesActive: 3 of 3 nodes are active" },
  { name: "a healthy cluster", view: {}, type: "Progressing", says: "False Settled: nothing is left to do" },
  {
    name: "a healthy cluster",
    view: {},
    type: "UpgradeBlocked",
    says: "False NothingBlocks: nothing blocks an upgrade",
  },
  { name: "a healthy cluster", view: {}, type: "Ready", says: "True AllNodesActive: 3 of 3 nodes are active" },
  { name: "a healthy cluster", view: {}, type: "Reconciling", says: "False AtRest: nothing moves" },
  { name: "a healthy cluster", view: {}, type: "Stalled", says: "False NotStalled: nothing waits for a person" },
  {
    name: "a cluster whose nodes start comes without a person",
    view: { remembered: {}, cluster: oneActive },
    type: "Reconciling",
    says: /^True /,
  },
  {
    name: "a cluster that is asked for what cannot be",
    view: { release: NEW, spec: asking("nonsense") },
    type: "Stalled",
    says: /^True UnknownImageTag: .*; remedy: /,
  },
  {
    name: "a cluster that is asked for what cannot be",
    view: { release: NEW, spec: asking("nonsense") },
    type: "Ready",
    says: /^False UnknownImageTag: /,
  },
  {
    name: "a cluster that is being made and does not answer yet is no failure",
    view: { remembered: {}, cluster: silent },
    type: "Available",
    says: "False NodesStarting: the nodes are starting; no node answers on port 9443 (connection refused)",
  },
  {
    name: "a cluster that has not had its quorum yet is no failure",
    view: { remembered: {}, cluster: oneActive },
    type: "Available",
    says: "False NodesStarting: 1 of 3 nodes are active",
  },
  {
    name: "a cluster that had its quorum has lost it",
    view: { cluster: oneActive },
    type: "Available",
    says: "False QuorumLost: 1 of 3 nodes are active",
  },
  {
    name: "a cluster that was running and does not answer is a failure",
    view: { cluster: silent },
    type: "Available",
    says: "False ClusterUnreachable: no node answers on port 9443 (connection refused)",
  },
  {
    name: "a cluster behind its operator waits for its upgrade",
    view: { release: NEW },
    type: "Progressing",
    says: "False AwaitingUpgrade: nothing moves until the cluster is upgraded to the operator's release",
  },
  {
    name: "a wrong tag",
    view: { release: NEW, spec: asking("nonsense") },
    type: "Progressing",
    says: "False Blocked: nothing moves until this is cleared: UnknownImageTag",
  },
];

for (const { name, view: change, type, says } of cases) {
  test(`the condition ${type} of a cluster: ${name}`, () => {
    const view = clusterView(change);
    const decision = planCluster(view, `template of ${targetTag(view)}`);
    const found = clusterConditions(view, decision).find((condition) => condition.type === type);
    const said = `${found?.status} ${found?.reason}: ${found?.message}`;
    if (typeof says === "string") assert.equal(said, says);
    else assert.match(said, says);
  });
}
