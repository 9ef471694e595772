import assert from "node:assert/strict";
import { test } from "node:test";
import { readTimetable } from "../base/timetable.ts";
import { freshnessOf, newestBackupAt, wantedAgeMs } from "./freshness.ts";

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 5, 12);

for (const [rule, schedule, hours] of [
  ["one of each hour may be an hour and a half old", "0 * * * *", 1.5],
  ["one of each night 36 hours", "30 2 * * *", 36],
  ["one of workdays lasts over the weekend", "30 2 * * mon-fri", 108],
  ["so does one that is due each hour of workdays", "0 8-17 * * mon-fri", 94.5],
  ["one of each month lasts for the longest month", "0 0 1 * *", 31 * 36],
] as const)
  test(rule, () => {
    const timetable = readTimetable({ schedule, timeZone: "UTC" });
    assert.ok("nextAfter" in timetable);
    assert.equal(wantedAgeMs(timetable, NOW) / HOUR, hours);
  });

for (const [rule, newestAt, since, age, stale] of [
  ["the newest one that can be restored counts", NOW - HOUR, 0, 1, false],
  ["it is stale when it is older than wanted", NOW - 3 * HOUR, 0, 3, true],
  ["and not at the moment itself", NOW - 2 * HOUR, 0, 2, false],
  ["without one, the time counts since when there is to be one", undefined, NOW - HOUR, 1, false],
  ["so that one that never came is noticed too", undefined, NOW - 3 * HOUR, 3, true],
  ["one of a clock that is ahead is of now", NOW + HOUR, 0, 0, false],
] as const)
  test(rule, () => {
    const { ageMs, isStale } = freshnessOf({ newestAt, since, wantedMs: 2 * HOUR, now: NOW });
    assert.deepEqual([ageMs / HOUR, isStale], [age, stale]);
  });

for (const [rule, spec, status, counts] of [
  ["a backup that an engine has loaded counts", {}, { conditions: [restorable("True")] }, true],
  ["one that is to be loaded does not count before", {}, {}, false],
  ["one that is not to be loaded counts as it is", { verify: false }, {}, true],
  ["one that no engine loads never counts", { verify: false }, { conditions: [restorable("False")] }, false],
  ["nor does one that has failed", { verify: false }, { phase: "Failed" }, false],
  ["nor one of another database", { databaseName: "carts" }, { conditions: [restorable("True")] }, false],
] as const)
  test(rule, () => {
    const s3 = { bucketName: "backups", awsSecretName: "keys" };
    const done = { phase: "Completed", completionTime: new Date(NOW).toISOString() } as const;
    const backup = { spec: { databaseName: "orders", s3, ...spec }, status: { ...done, ...status } };
    assert.equal(newestBackupAt([backup as never], "orders"), counts ? NOW : undefined);
  });

function restorable(status: "True" | "False") {
  return { type: "Restorable", status, reason: "Loaded", message: "", lastTransitionTime: "" };
}

test("one that was complete long after its deadline, by a clock that was ahead, is of its deadline", () => {
  const status = { phase: "Completed", completionTime: "2030-01-01T00:00:00Z", conditions: [restorable("True")] };
  const made = (name: string, day: string, deadline: object = {}): never => {
    const metadata = { name, creationTimestamp: `${day}T00:00:00Z` };
    return { metadata, spec: { databaseName: "orders", ...deadline }, status } as never;
  };
  const late = made("late", "2026-01-03", { activeDeadlineSeconds: 3_600 });
  assert.equal(newestBackupAt([late], "orders"), Date.UTC(2026, 0, 3, 1));
  assert.equal(newestBackupAt([made("early", "2026-01-01"), late], "orders"), Date.UTC(2026, 0, 3, 1));
});
