import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterView } from "../../../../test/kit/facts/cluster-view.ts";
import type { ClusterStatus } from "../../api/cluster-status.ts";
import type { Finding } from "../../api/parts.ts";
import { announcements } from "./announcements.ts";

const running: ClusterStatus = { state: "Running", version: "8.0.6-54" };
const blocked = finding("LicenseInvalid", "block");
const late = finding("ReplicaNotInSync", "wait");
const upgrade = { from: "8.0.6-54", to: "8.2.0-25.12", startedAt: "now", updatedNodes: 0 };

const cases: readonly {
  readonly name: string;
  before: ClusterStatus;
  after: ClusterStatus;
  want: readonly string[];
}[] = [
  { name: "no change makes no event", before: running, after: running, want: [] },
  { name: "a cluster is ready once", before: {}, after: running, want: ["ClusterReady"] },
  {
    name: "a block that begins is an event",
    before: running,
    after: { ...running, findings: [blocked] },
    want: ["LicenseInvalid"],
  },
  {
    name: "a block that stays makes no second event",
    before: { ...running, findings: [blocked] },
    after: { ...running, findings: [blocked] },
    want: [],
  },
  {
    name: "a block that ends is an event",
    before: { ...running, findings: [blocked] },
    after: { ...running, findings: [] },
    want: ["UpgradeUnblocked"],
  },
  {
    name: "what a step waits for is one event, however its words change",
    before: { ...running, findings: [late] },
    after: { ...running, findings: [{ ...late, evidence: "another database" }] },
    want: [],
  },
  {
    name: "an upgrade that starts is an event",
    before: running,
    after: { ...running, upgrade },
    want: ["UpgradeStarted"],
  },
  {
    name: "each node that is done is an event",
    before: { ...running, upgrade },
    after: { ...running, upgrade: { ...upgrade, updatedNodes: 1 } },
    want: ["UpgradePodReplaced"],
  },
  {
    name: "the end of the upgrade is an event with the last node",
    before: { ...running, upgrade: { ...upgrade, updatedNodes: 2 } },
    after: { ...running, upgrade: { ...upgrade, updatedNodes: 3, finishedAt: "later" } },
    want: ["UpgradePodReplaced", "UpgradeCompleted"],
  },
  {
    name: "a suspension is one event",
    before: running,
    after: { ...running, conditions: [suspended("True")] },
    want: ["ReconcileSuspended"],
  },
  {
    name: "the end of a suspension is one event",
    before: { ...running, conditions: [suspended("True")] },
    after: { ...running, conditions: [suspended("False")] },
    want: ["ReconcileResumed"],
  },
  {
    name: "a cluster that does not answer is an event",
    before: running,
    after: { ...running, state: "Error" },
    want: ["ClusterUnreachable"],
  },
];

for (const { name, before, after, want } of cases) {
  test(`announcements: ${name}`, () => {
    const events = announcements(clusterView(), before, after);
    assert.deepEqual(
      events.map(({ reason }) => reason),
      want,
    );
  });
}

function finding(id: string, severity: Finding["severity"]): Finding {
  return { id, severity, evidence: "what was seen", remedy: "what to do" };
}

function suspended(status: "True" | "False") {
  return { type: "ReconcileSuspended", status, reason: "OperatorUpgraded", message: "", lastTransitionTime: "" };
}
