import assert from "node:assert/strict";
import { test } from "node:test";
import { backupScheduleSpec } from "../../api/backup-schedule-spec.ts";
import { BACKUP_SCHEDULE_RULES } from "./backup-schedule.ts";
import { objections, sentence } from "./objection.ts";

const SPEC = {
  databaseName: "orders",
  s3: { bucketName: "backups", awsSecretName: "keys" },
  schedule: "30 2 * * *",
  timeZone: "Europe/Berlin",
};

for (const [rule, name, spec, says] of [
  ["a time of each day in a zone is accepted", "nightly", {}, undefined],
  ["a schedule without a zone is one of UTC", "nightly", { timeZone: undefined }, undefined],
  ["its name leaves room for the time of a backup", "n".repeat(53), {}, /^metadata\.name: .*may have 52 characters/],
  [
    "five fields are asked for, with an example",
    "nightly",
    { schedule: "@daily" },
    /^spec\.schedule: Invalid value: "@daily": it has five fields: .*; write for instance "30 2 \* \* \*"/,
  ],
  [
    "a value that a field has not is named",
    "nightly",
    { schedule: "0 25 * * *" },
    /^spec\.schedule: .*hour: 25; write for instance/,
  ],
  [
    "a zone is one of the IANA database",
    "nightly",
    { timeZone: "Berlin" },
    /^spec\.timeZone: Invalid value: "Berlin": .*IANA.*; write a name such as "Europe\/Berlin"/,
  ],
] as const satisfies readonly (readonly [string, string, object, RegExp | undefined])[])
  test(`schedule of backups: ${rule}`, () => {
    const said = objections(BACKUP_SCHEDULE_RULES, { name, spec: backupScheduleSpec.parse({ ...SPEC, ...spec }) });
    assert.equal(said.length, says === undefined ? 0 : 1);
    assert.match(said.map(sentence).join(), says ?? /^$/);
  });
