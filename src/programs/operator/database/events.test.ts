import assert from "node:assert/strict";
import { test } from "node:test";
import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import { block, wait, warn } from "../../../core/planner/findings/finding.ts";
import { databaseEvents } from "./events.ts";

const STAND_IN = "7.2 (stand-in: redis 7.0.15)";
const active: DatabaseStatus = {
  status: "active",
  version: STAND_IN,
  storeVersion: "7.2",
  conditions: [ready("Active", "serves")],
};

const cases: readonly {
  readonly name: string;
  readonly before: DatabaseStatus;
  readonly after: DatabaseStatus;
  readonly want: readonly string[];
}[] = [
  { name: "no change makes no event", before: active, after: active, want: [] },
  { name: "a new database is ready once", before: { status: "pending" }, after: active, want: ["DatabaseReady"] },
  {
    name: "a new database whose engine reported its version before it was active is ready, not upgraded",
    before: { status: "pending", version: "7.2" },
    after: active,
    want: ["DatabaseReady"],
  },
  {
    name: "another engine of the same version is no upgrade",
    before: { ...active, version: "7.2 (redis 7.2.1)" },
    after: active,
    want: [],
  },
  {
    name: "another version is one",
    before: { ...active, status: "active-change-pending" },
    after: { ...active, version: "8.0 (redis 8.0.2)", storeVersion: "8.0" },
    want: ["DatabaseUpgradeCompleted"],
  },
  {
    name: "another version is one beside a status of an older operator",
    before: { ...active, storeVersion: undefined },
    after: { ...active, version: "8.0 (redis 8.0.2)", storeVersion: "8.0" },
    want: ["DatabaseUpgradeCompleted"],
  },
  {
    name: "the same version is none beside a status of an older operator",
    before: { ...active, storeVersion: undefined },
    after: active,
    want: [],
  },
  {
    name: "a refusal is an event again when its words change",
    before: { findings: [block("RefusedByCluster", "port 1 is taken", "choose another")] },
    after: { findings: [block("RefusedByCluster", "port 2 is taken", "choose another")] },
    want: ["RefusedByCluster"],
  },
  {
    name: "a cluster that does not exist is an event",
    before: {},
    after: { findings: [block("ClusterNotFound", "no cluster", "make it")] },
    want: ["ClusterNotFound"],
  },
  {
    name: "each finding is an event, not the first one alone",
    before: active,
    after: {
      ...active,
      findings: [
        block("UnsupportedModuleVersion", "search 1.0 is not there", "leave the version out"),
        block("LicenseLimit", "2 of 2 shards are used", "install a larger licence"),
        block("ModuleListContradiction", "the module is there twice", "leave one out"),
      ],
    },
    want: ["UnsupportedModuleVersion", "LicenseLimit", "ModuleListContradiction"],
  },
  {
    name: "a drift is an event",
    before: active,
    after: { ...active, findings: [warn("UpgradedByHand", "it is at 8.0", "kubectl patch")] },
    want: ["UpgradedByHand"],
  },
  {
    name: "a cluster that is not ready is an event of the cluster alone",
    before: active,
    after: { ...active, findings: [wait("ClusterNotReady", "no node answers", "storectl why")] },
    want: [],
  },
  {
    name: "what is waited for is no event",
    before: active,
    after: { ...active, conditions: [ready("Waiting", "the replica is receiving the data")] },
    want: [],
  },
  {
    name: "each loss is one event",
    before: { ...active, lossReports: ["one"] },
    after: { ...active, lossReports: ["one", "two"] },
    want: ["AcknowledgedWritesAtRisk"],
  },
];

for (const { name, before, after, want } of cases) {
  test(`events of a database: ${name}`, () => {
    assert.deepEqual(
      databaseEvents(before, after).map(({ reason }) => reason),
      want,
    );
  });
}

function ready(reason: string, message: string) {
  return { type: "Ready", status: "False", reason, message, lastTransitionTime: "" } as const;
}

test("an upgrade is from the version that served, whatever engine the last status names", () => {
  const before = { ...active, version: "7.2 (stand-in: redis 8.0.2)", storeVersion: "7.2" } as const;
  const after = { ...active, version: "8.2 (stand-in: redis 8.0.2)", storeVersion: "8.2" } as const;
  assert.deepEqual(
    databaseEvents(before, after).map(({ message }) => message),
    ["from 7.2 to 8.2 (stand-in: redis 8.0.2)"],
  );
});
