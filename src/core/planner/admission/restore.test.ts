import assert from "node:assert/strict";
import { test } from "node:test";
import { restoreSpec } from "../../api/restore-spec.ts";
import { objections, sentence } from "./objection.ts";
import { RESTORE_RULES } from "./restore.ts";

const SPEC = { databaseName: "copy", backupName: "nightly" };
const location = { path: "team/nightly", s3: { bucketName: "backups", awsSecretName: "keys" } };

function said(spec: object, before?: object, databases: readonly string[] = ["orders"]): string {
  const facts = { spec: restoreSpec.parse(spec), before: before && restoreSpec.parse(before), databases };
  return objections(RESTORE_RULES, facts).map(sentence).join("\n");
}

test("a restore of one backup into a new database is accepted, and may be edited where that means nothing else", () => {
  assert.equal(said(SPEC), "");
  assert.equal(said({ ...SPEC, dryRun: true }, SPEC, ["copy"]), "");
  assert.equal(said({ databaseName: "copy", location }), "");
});

for (const [rule, spec, before, says] of [
  ["no backup", { databaseName: "copy" }, undefined, /^spec\.backupName: Required value/],
  ["two backups", { ...SPEC, location }, undefined, /^spec\.location: Forbidden/],
  [
    "a database that is there",
    { ...SPEC, databaseName: "orders" },
    undefined,
    /^spec\.databaseName: Duplicate value: "orders"/,
  ],
  [
    "a name that no Service may have",
    { ...SPEC, databaseName: "1st" },
    undefined,
    /^spec\.databaseName: Invalid value: "1st"/,
  ],
  ["another database later", { ...SPEC, databaseName: "other" }, SPEC, /^spec\.databaseName: Forbidden/],
  ["another backup later", { ...SPEC, backupName: "other" }, SPEC, /^spec\.backupName: Forbidden/],
  ["another place later", { databaseName: "copy", location }, SPEC, /spec\.location: Forbidden/],
] as const)
  test(`${rule}: refused with the field`, () => {
    assert.match(said(spec, before), says);
  });
