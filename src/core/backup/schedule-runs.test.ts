import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoreEnterpriseBackup } from "../api/kinds.ts";
import { BACKUP_SCHEDULE_LABEL } from "../api/names.ts";
import { runName, scheduledRunOf } from "./schedule-runs.ts";

const SCHEDULE = { name: "nightly", databaseName: "orders" };
const DUE = Date.UTC(2026, 10, 30, 2, 30);

test("a backup is called after its schedule and the minute in which it is due", () => {
  assert.equal(runName("nightly", DUE), "nightly-20261130-0230");
});

for (const [rule, metadata, database, isRun] of [
  ["what a schedule has asked for is its own", {}, "orders", true],
  ["what was made by hand is not, whatever its name", { labels: {} }, "orders", false],
  ["nor one of another schedule", { labels: { [BACKUP_SCHEDULE_LABEL]: "weekly" } }, "orders", false],
  ["nor one of another database", {}, "carts", false],
  ["nor a copy under another name", { name: "nightly-20261130-023000" }, "orders", false],
  ["nor one whose name has no such day", { name: "nightly-20261399-0230" }, "orders", false],
] as const)
  test(rule, () => {
    const run = scheduledRunOf(backup({ metadata, databaseName: database }), SCHEDULE);
    assert.equal(run?.dueAt, isRun ? DUE : undefined);
  });

for (const [rule, status, isOver, restorableAt] of [
  ["one without a status is under way", {}, false, undefined],
  ["one that waits is under way", { phase: "Pending" }, false, undefined],
  ["one that has failed is over", { phase: "Failed" }, true, undefined],
  [
    "one that is complete is over before it is proved",
    { phase: "Completed", completionTime: at(DUE) },
    true,
    undefined,
  ],
  [
    "one that an engine has loaded can be restored",
    { phase: "Completed", completionTime: at(DUE), conditions: [restorable("True")] },
    true,
    DUE,
  ],
  [
    "one that no engine loads cannot",
    { phase: "Completed", completionTime: at(DUE), conditions: [restorable("False")] },
    true,
    undefined,
  ],
] as const)
  test(rule, () => {
    const run = scheduledRunOf(backup({ status }), SCHEDULE);
    assert.deepEqual([run?.isOver, run?.restorableAt], [isOver, restorableAt]);
  });

test("a backup that is stalled has its reason, and no other one has", () => {
  const stalled = {
    type: "Stalled",
    status: "True",
    reason: "ObjectStoreBucket",
    message: "none",
    lastTransitionTime: "",
  };
  const troubleOf = (status: object): string | undefined => scheduledRunOf(backup({ status }), SCHEDULE)?.trouble;
  assert.equal(troubleOf({ phase: "Pending", conditions: [stalled] }), "ObjectStoreBucket: none");
  assert.equal(troubleOf({ phase: "Failed", conditions: [stalled] }), undefined);
  assert.equal(troubleOf({ phase: "Pending", conditions: [{ ...stalled, status: "False" }] }), undefined);
});

function backup(more: { readonly metadata?: object; readonly databaseName?: string; readonly status?: object }) {
  const { metadata = {}, databaseName = "orders", status = {} } = more;
  const labels = { [BACKUP_SCHEDULE_LABEL]: "nightly" };
  const s3 = { bucketName: "backups", awsSecretName: "keys" };
  return {
    metadata: { name: "nightly-20261130-0230", labels, ...metadata },
    spec: { databaseName, s3 },
    status,
  } satisfies StoreEnterpriseBackup;
}

function restorable(status: "True" | "False") {
  return { type: "Restorable", status, reason: "Loaded", message: "", lastTransitionTime: at(DUE) };
}

function at(time: number): string {
  return new Date(time).toISOString();
}
