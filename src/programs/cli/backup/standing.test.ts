import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition } from "../../../core/api/parts.ts";
import type { BackupObject, ScheduleObject } from "./find.ts";
import { backupStandings, type BackupStanding } from "./standing.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");
const HOUR = 3_600_000;
const S3 = { bucketName: "backups", awsSecretName: "keys" };
const AT = { uid: "1", resourceVersion: "1", namespace: "default" };

function hoursAgo(hours: number): string {
  return new Date(NOW - hours * HOUR).toISOString();
}

function condition(type: string, status: Condition["status"], reason: string, message = ""): Condition {
  return { type, status, reason, message, lastTransitionTime: hoursAgo(1) };
}

function schedule(more: Partial<ScheduleObject["spec"]> = {}, ready = condition("Ready", "True", "Scheduled")) {
  const metadata = { ...AT, name: "nightly", creationTimestamp: hoursAgo(100) };
  const spec = { databaseName: "orders", s3: S3, schedule: "0 2 * * *", ...more };
  const status = { wantedAgeSeconds: 36 * 3_600, conditions: [ready] };
  return { apiVersion: "v1", kind: "StoreEnterpriseBackupSchedule", metadata, spec, status } as ScheduleObject;
}

function backup(name: string, age: number, status: BackupObject["status"]): BackupObject {
  const metadata = { ...AT, name, creationTimestamp: hoursAgo(age) };
  const spec = { databaseName: "orders", s3: S3 };
  return { apiVersion: "v1", kind: "StoreEnterpriseBackup", metadata, spec, status } as BackupObject;
}

function good(name: string, age: number): BackupObject {
  const conditions = [condition("Restorable", "True", "Loaded")];
  return backup(name, age, { phase: "Completed", completionTime: hoursAgo(age), conditions });
}

function failed(name: string, age: number): BackupObject {
  return backup(name, age, {
    phase: "Failed",
    conditions: [condition("Complete", "False", "TooLate", "it took long")],
  });
}

function completed(name: string, age: number, restorable: Condition): BackupObject {
  return backup(name, age, { phase: "Completed", completionTime: hoursAgo(age), conditions: [restorable] });
}

const STALLED = condition(
  "Ready",
  "False",
  "RunStalled",
  "the backup b2 does not go on: none; remedy: make it. More; remedy: correct the schedule, then kubectl delete rebackup b2",
);

const NOT_REMOVED = condition(
  "Retention",
  "False",
  "ObjectStoreDenied",
  "b0 is not removed: the key may not delete; remedy: allow it",
);

interface Case {
  readonly name: string;
  readonly schedules?: readonly ScheduleObject[];
  readonly backups?: readonly BackupObject[];
  readonly state: BackupStanding["state"];
  readonly newest: string;
  readonly troubles: readonly { readonly says: RegExp; readonly clears: string }[];
}

const NOW_ORDERS = "storectl backup now orders";

const cases: readonly Case[] = [
  {
    name: "the newest one that can be restored is named, and not a later one that cannot",
    schedules: [schedule()],
    backups: [good("b1", 30), good("b2", 20), failed("b3", 1)],
    state: "fresh",
    newest: "b2",
    troubles: [],
  },
  {
    name: "without a schedule nothing says how new it should be",
    backups: [good("b1", 1_000)],
    state: "unscheduled",
    newest: "b1",
    troubles: [],
  },
  {
    name: "one that is too old is stale by the clock, with what became of the last one",
    schedules: [schedule()],
    backups: [good("b1", 40), failed("b2", 1)],
    state: "stale",
    newest: "b1",
    troubles: [
      {
        says: /b1, is 40 h old, and .* "nightly" asks for one of at most 36 h: b2 has failed \(TooLate: it/,
        clears: NOW_ORDERS,
      },
    ],
  },
  {
    name: "a backup that no engine could load is no reason to wait",
    schedules: [schedule()],
    backups: [completed("b1", 2, condition("Restorable", "False", "BackupDamaged", "7 bytes"))],
    state: "stale",
    newest: "",
    troubles: [
      { says: /^"orders" has no backup .*b1 cannot be restored \(BackupDamaged: 7 bytes/, clears: NOW_ORDERS },
    ],
  },
  {
    name: "one that was not loaded yet is to be loaded",
    schedules: [schedule()],
    backups: [completed("b1", 2, condition("Restorable", "Unknown", "AgentBackupNoRoom"))],
    state: "stale",
    newest: "",
    troubles: [{ says: /b1 was not loaded \(AgentBackupNoRoom/, clears: "storectl backup verify b1" }],
  },
  {
    name: "a schedule that is suspended is to go on",
    schedules: [schedule({ suspend: true })],
    state: "stale",
    newest: "",
    troubles: [
      {
        says: /: it is suspended$/,
        clears: `kubectl patch rebackupschedule nightly --type merge -p '{"spec":{"suspend":false}}'`,
      },
    ],
  },
  {
    name: "a run that does not go on is said beside what is stale, with its own remedy, which is the last one",
    schedules: [schedule({}, STALLED)],
    backups: [backup("b2", 3, { phase: "Pending" })],
    state: "stale",
    newest: "",
    troubles: [
      {
        says: /^the schedule "nightly": the backup b2 does not/,
        clears: "correct the schedule, then kubectl delete rebackup b2",
      },
      { says: /it does not go on \(RunStalled\)/, clears: "correct the schedule, then kubectl delete rebackup b2" },
    ],
  },
  {
    name: "a schedule that no operator has followed yet says nothing of how new it should be",
    schedules: [{ ...schedule(), status: {} }],
    state: "unknown",
    newest: "",
    troubles: [],
  },
  {
    name: "a schedule whose first one is not due yet has none, and none that is stale",
    schedules: [{ ...schedule(), metadata: { ...AT, name: "nightly", creationTimestamp: hoursAgo(1) } }],
    state: "awaited",
    newest: "",
    troubles: [],
  },
  {
    name: "a backup that is not kept and does not go is said, with what helps",
    schedules: [schedule({}, NOT_REMOVED)],
    backups: [good("b1", 3)],
    state: "fresh",
    newest: "b1",
    troubles: [{ says: /^the schedule "nightly": b0 is not removed: the key may not delete$/, clears: "allow it" }],
  },
];

for (const { name, schedules = [], backups = [], state, newest, troubles } of cases) {
  test(`backups of a database: ${name}`, () => {
    const [standing, ...others] = backupStandings(["orders", "carts"], { schedules, backups }, NOW);
    assert.ok(standing);
    assert.deepEqual([standing.state, standing.newest, others], [state, newest, []]);
    assert.equal(standing.troubles.length, troubles.length, JSON.stringify(standing.troubles));
    troubles.forEach(({ says, clears }, index) => {
      assert.match(standing.troubles[index]?.evidence ?? "", says);
      assert.equal(standing.troubles[index]?.clears, clears);
    });
  });
}
