import assert from "node:assert/strict";
import { test } from "node:test";
import type { AskedBackup } from "../api/asked-backup.ts";
import { readTimetable } from "../base/timetable.ts";
import { decideAskedSchedule, timesOf, type AskingDatabase, type NamesakeSchedule } from "./asked-schedule.ts";

const S3 = { bucketName: "backups", awsSecretName: "keys", subdir: "team-a" };
const UID = "3f1c6f0a-5d0e-4a53-9d5b-0d0c7f3a9b11";
const DATABASE: AskingDatabase = {
  name: "orders",
  uid: UID,
  isSite: false,
  backup: { s3: S3, interval: 43_200, intervalOffset: 9_000 },
};
const WANTED = { databaseName: "orders", schedule: "30 2,14 * * *", timeZone: "UTC", s3: S3 };
const OWN: NamesakeSchedule = {
  owner: { kind: "StoreEnterpriseDatabase", name: "orders", uid: UID },
  isGoing: false,
  spec: WANTED,
};
const ofOwner = (kind: string, name: string): NamesakeSchedule => ({ ...OWN, owner: { kind, name, uid: "other" } });
const withBackup = (more: Partial<AskedBackup>) => ({
  backup: { s3: S3, interval: 43_200, intervalOffset: 9_000, ...more } as const,
});

const DAY = 86_400_000;
const MIDNIGHT = Date.parse("2026-02-27T00:00:00Z");

for (const [interval, offset, fields] of [
  [3_600, 0, "0 * * * *"],
  [3_600, 3_540, "59 * * * *"],
  [7_200, 0, "0 0,2,4,6,8,10,12,14,16,18,20,22 * * *"],
  [7_200, 3_660, "1 1,3,5,7,9,11,13,15,17,19,21,23 * * *"],
  [10_800, 9_000, "30 2,5,8,11,14,17,20,23 * * *"],
  [14_400, 14_340, "59 3,7,11,15,19,23 * * *"],
  [21_600, 300, "5 0,6,12,18 * * *"],
  [28_800, 25_200, "0 7,15,23 * * *"],
  [43_200, 9_000, "30 2,14 * * *"],
  [86_400, 0, "0 0 * * *"],
  [86_400, 9_000, "30 2 * * *"],
  [86_400, 86_340, "59 23 * * *"],
  [undefined, 9_000, "30 2 * * *"],
] as const)
  test(`every ${interval ?? "absent"} seconds, ${offset} after midnight: ${fields}`, () => {
    const schedule = timesOf({ s3: S3, interval, intervalOffset: offset }, UID);
    assert.equal(schedule, fields);
    const timetable = readTimetable({ schedule, timeZone: "UTC" });
    assert.ok(!("why" in timetable));
    const first = MIDNIGHT + offset * 1_000;
    const step = (interval ?? 86_400) * 1_000;
    for (let due = first; due < first + 3 * DAY; due += step)
      assert.deepEqual([timetable.nextAfter(due - 1), timetable.nextAfter(due)], [due, due + step]);
  });

test("without an offset the time follows from the uid, lies within the interval, and is spread over it", () => {
  assert.equal(timesOf({ s3: S3 }, UID), "46 12 * * *", "it is the same in every release");
  const uids = Array.from(
    { length: 2_000 },
    (_, index) =>
      `${index.toString(16).padStart(8, "0")}-5d0e-4a53-9d5b-${(index * 7_919_993).toString(16).padStart(12, "0")}`,
  );
  const hours = Map.groupBy(uids, (uid) => timesOf({ s3: S3 }, uid).split(" ")[1]);
  assert.equal(hours.size, 24);
  assert.ok([...hours.values()].every(({ length }) => length > 40 && length < 130));
  for (const uid of uids) assert.match(timesOf({ s3: S3, interval: 7_200 }, uid), /^[1-5]?\d (?:0,2|1,3),/);
});

for (const [rule, database, schedule, then] of [
  ["a database that asks for backups has a schedule as it says", {}, undefined, { kind: "make", spec: WANTED }],
  ["one that is as it says is left alone", {}, OWN, { kind: "rest" }],
  ["in whatever order its fields stand", {}, { ...OWN, spec: reversed(WANTED) }, { kind: "rest" }],
  ["an edit of it is put back", {}, { ...OWN, spec: { ...WANTED, suspend: true } }, { kind: "correct", spec: WANTED }],
  ["so is one that leaves no schedule", {}, { ...OWN, spec: {} }, { kind: "correct", spec: WANTED }],
  [
    "it follows an edit of the database",
    withBackup({ intervalOffset: 0, verify: false, bytesPerSecond: 5_000_000, retention: { count: 3 } }),
    OWN,
    {
      kind: "correct",
      spec: { ...WANTED, schedule: "0 0,12 * * *", verify: false, bytesPerSecond: 5_000_000, retention: { count: 3 } },
    },
  ],
  ["one that goes is waited for, whatever it says", {}, { ...OWN, isGoing: true, spec: {} }, { kind: "rest" }],
  ["without `backup` it is removed", { backup: undefined }, OWN, { kind: "remove" }],
  ["once", { backup: undefined }, { ...OWN, isGoing: true }, { kind: "rest" }],
  ["and nothing else is", { backup: undefined }, undefined, { kind: "rest" }],
  ["nor one that a person has made", { backup: undefined }, { ...OWN, owner: undefined }, { kind: "rest" }],
  [
    "nor that of a former database",
    { backup: undefined },
    ofOwner("StoreEnterpriseDatabase", "orders"),
    { kind: "rest" },
  ],
] as const)
  test(rule, () => {
    const step = decideAskedSchedule({ ...DATABASE, ...database }, schedule);
    assert.deepEqual(step.kind === "act" ? step.act : step, then);
  });

for (const [rule, database, schedule, id, evidence, remedy] of [
  [
    "one that a person has made is never touched",
    {},
    { ...OWN, owner: undefined },
    "BackupScheduleTaken",
    /^spec\.backup: the StoreEnterpriseBackupSchedule "orders" is not of this database; it stays as it is/,
    /kubectl delete rebackupschedule orders; or .* kubectl patch redb orders .*"backup":null/,
  ],
  [
    "nor that of another object, which is named",
    {},
    ofOwner("StoreEnterpriseDatabase", "carts"),
    "BackupScheduleTaken",
    /is not of this database, but of StoreEnterpriseDatabase "carts";/,
    /kubectl delete/,
  ],
  [
    "that of a former database of the name goes first",
    {},
    ofOwner("StoreEnterpriseDatabase", "orders"),
    "BackupScheduleGoing",
    /is that of a former database of this name, and goes with it/,
    /^wait, or remove it: kubectl delete rebackupschedule orders/,
  ],
  [
    "a site of an Active-Active database has none",
    { isSite: true },
    undefined,
    "BackupRefused",
    /^spec\.backup: the sites of an Active-Active database are not saved$/,
    /kubectl patch redb orders .*"backup":null/,
  ],
  [
    "a name that is too long for a schedule is said, and leaves what is there",
    { name: "o".repeat(53) },
    undefined,
    "BackupRefused",
    /may have 52 characters, and "o+" has 53$/,
    /kubectl patch redb o+ /,
  ],
] as const)
  test(rule, () => {
    const step = decideAskedSchedule({ ...DATABASE, ...database }, schedule);
    assert.ok(step.kind === "wait");
    assert.deepEqual([step.wait.id, step.wait.severity], [id, "warn"]);
    assert.match(step.wait.evidence, evidence);
    assert.match(step.wait.remedy, remedy);
  });

function reversed(object: object): object {
  return Object.fromEntries(Object.entries(object).toReversed());
}
