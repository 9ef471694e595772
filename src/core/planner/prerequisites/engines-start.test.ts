import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterView, database, facts, NEW, node, pod, upgrading } from "../../../../test/kit/facts/cluster-view.ts";
import { type CheckCase, testChecks } from "../../../../test/kit/facts/checked-cluster.ts";
import { planCluster } from "../cluster/plan.ts";
import type { ClusterDatabase, ClusterView } from "../view/cluster-view.ts";

const SAID = "Module /data/tally.so failed to load: no such file";

/** "counts", whose replica on node 3 has ended `starts` times before it served. */
function counts(starts: number): ClusterDatabase {
  const failing = { starts, lastWords: SAID };
  const primary = { node: 2, primary: true, inSync: true };
  return database({ name: "counts", instances: [primary, { node: 3, primary: false, inSync: false, failing }] });
}

/** "counts", whose primary on node 2 has ended `times` times soon after it served. */
function crashed(times: number): ClusterDatabase {
  const crashing = { times, endedBy: "SIGSEGV", lastWords: "Redis 7.0.15 crashed by signal: 11" };
  const replica = { node: 3, primary: false, inSync: true };
  return database({ name: "counts", instances: [{ node: 2, primary: true, inSync: true, crashing }, replica] });
}

const cases: readonly CheckCase[] = [
  {
    name: "an engine that serves and crashes again and again is a finding with what ended it and its last words",
    view: { cluster: facts({ databases: [crashed(3)] }) },
    found: "warn EngineCrashes",
    evidence:
      /the engine of "counts" on node 2 has crashed 3 times, each time within five minutes of serving, ended last by SIGSEGV: Redis 7.0.15 crashed/,
  },
  {
    name: "an engine that ends again and again before it serves is a finding with its last words",
    view: { cluster: facts({ databases: [counts(3)] }) },
    found: "wait EngineFails",
    evidence: /the engine of "counts" on node 3 has ended 3 times before it served: Module .* failed to load/,
  },
];

testChecks(cases);

/** In mid-roll: node 3 runs the new release and is not in service yet. */
function rolling(starts: number): ClusterView {
  const { workload } = clusterView();
  return clusterView({
    ...upgrading,
    workload: workload && {
      ...workload,
      template: "wanted",
      nodeTag: NEW.nodeTag,
      updateRevision: "new",
      partition: 2,
    },
    pods: [pod(0), pod(1), pod(2, { nodeTag: NEW.nodeTag, revision: "new", inService: false })],
    cluster: facts({ databases: [counts(starts)], nodes: [node(1), node(2), node(3)] }),
  });
}

test("a roll says of an engine that ends again and again that it fails, and not that it catches up", () => {
  const { step, findings } = planCluster(rolling(3), "wanted");
  assert.ok(step.kind === "wait");
  assert.equal(step.wait.id, "EngineFails");
  assert.match(step.wait.evidence, /"counts" on node 3 has ended 3 times before it served: Module/);
  assert.deepEqual(
    findings.map(({ id, severity }) => `${severity} ${id}`),
    ["wait EngineFails"],
  );
});

test("an engine that has crashed twice is not said to crash again and again", () => {
  const view = clusterView({ cluster: facts({ databases: [crashed(2)] }) });
  assert.deepEqual(planCluster(view, "wanted").findings, []);
});

test("an engine that has ended once is still waited for", () => {
  const { step, findings } = planCluster(rolling(1), "wanted");
  assert.ok(step.kind === "wait");
  assert.equal(step.wait.id, "ReplicaNotInSync");
  assert.deepEqual(findings, []);
});
