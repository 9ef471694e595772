import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterView, database, facts } from "../../../../test/kit/facts/cluster-view.ts";
import type { ClusterStatus } from "../../../core/api/cluster-status.ts";
import type { ClusterView } from "../../../core/planner/view/cluster-view.ts";
import { recoverReport, recoverTable } from "./report.ts";

function table(remembered: ClusterStatus, cluster: ClusterView["cluster"] = facts()): string {
  const view = clusterView({ remembered: { version: "8.0.6-54", ...remembered }, cluster });
  return recoverTable(recoverReport({ observation: { view, namespace: "a" } }, []));
}

const progressing = {
  type: "Progressing",
  status: "True" as const,
  reason: "ReplicaNotInSync",
  message: "node 3 is catching up",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

test("nothing blocks a cluster at rest", () => {
  assert.equal(table({ state: "Running" }), "a/rec: Running at 8.0.6-54\n\nNothing blocks.\n");
});

const cases: readonly [rule: string, text: string, says: RegExp][] = [
  [
    "a roll that stands",
    table({ state: "Upgrade", conditions: [progressing] }),
    /ReplicaNotInSync: node 3 is catching/,
  ],
  ["a roll that no condition explains", table({ state: "Upgrade" }), /STATE is Upgrade/],
  [
    "a database that waits",
    table({ state: "Running" }, facts({ databases: [database({ name: "counts", waitingFor: "no node has room" })] })),
    /database "counts": no node has room/,
  ],
];

for (const [rule, text, says] of cases) {
  test(`recover does not say that nothing blocks: ${rule}`, () => {
    assert.doesNotMatch(text, /Nothing blocks/);
    assert.match(text, says);
  });
}

test("a warning says that nothing waits for it, and what blocks says nothing of that", () => {
  const one = { object: "redb/orders", rule: "Drifted", evidence: "it is at 7.4", acts: [], needs: "" };
  const said = (blocks: boolean): string => {
    const recovery = { ...one, blocks, irreversible: "", otherwise: "write it" };
    return recoverTable(recoverReport({ observation: { view: clusterView(), namespace: "a" } }, [recovery]));
  };
  assert.match(said(false), /1\. redb\/orders: Drifted\n {3}it is at 7\.4\n {3}warning +nothing waits for it yet\n/);
  assert.doesNotMatch(said(true), /nothing waits/);
});
