import assert from "node:assert/strict";
import { test } from "node:test";
import { restoreSpec } from "../api/restore-spec.ts";
import { foreignBackup, restoreSource, type NamedBackup } from "./restore-source.ts";

const S3 = { bucketName: "backups", awsSecretName: "keys" };
const OBJECT: NamedBackup = {
  name: "nightly",
  uid: "1a2b3c4d-0000",
  spec: { databaseName: "orders", s3: { ...S3, subdir: "team" } },
  status: { phase: "Completed", path: "team/shop/orders/nightly-1a2b3c4d/" },
};
const named = restoreSpec.parse({ databaseName: "copy", backupName: "nightly" });

test("a backup that is named lies where its status says, and its Secret is that of its database", () => {
  assert.deepEqual(restoreSource(named, "shop", OBJECT), {
    folder: "team/shop/orders",
    name: "nightly-1a2b3c4d",
    s3: OBJECT.spec.s3,
    encryption: undefined,
    database: "orders",
  });
});

test("a place is taken as it is said, also with a slash behind it", () => {
  const spec = restoreSpec.parse({ databaseName: "copy", location: { path: "a/b/c/", s3: S3 } });
  const place = { folder: "a/b", name: "c", s3: S3, database: "copy" };
  assert.deepEqual(restoreSource(spec, "shop", undefined), { ...place, encryption: undefined });
});

test("the keys are those that the object of the backup names, unless the restore names others; of a place, those of the restore", () => {
  const [own, others] = [{ secretName: "own" }, { secretName: "others" }];
  const encrypted = { ...OBJECT, spec: { ...OBJECT.spec, encryption: own } };
  const keysOf = (spec: object, backup?: NamedBackup) =>
    Reflect.get(restoreSource(restoreSpec.parse({ databaseName: "copy", ...spec }), "shop", backup), "encryption");
  assert.deepEqual(keysOf({ backupName: "nightly" }, encrypted), own);
  assert.deepEqual(keysOf({ backupName: "nightly", encryption: others }, encrypted), others);
  assert.deepEqual(keysOf({ location: { path: "a/b/c", s3: S3 }, encryption: others }), others);
});

for (const path of ["", "a", "/a/b", "a//b", "../b", "a/..", "a/.hidden", "a/b?c", `${"a/".repeat(9)}b`])
  test(`"${path}" is no place`, () => {
    assert.equal(restoreSpec.safeParse({ databaseName: "copy", location: { path, s3: S3 } }).success, false);
  });

const condition = {
  status: "False",
  reason: "BackupDamaged",
  message: "it is damaged",
  lastTransitionTime: "",
} as const;
for (const [rule, change, reason, isForGood] of [
  ["has failed", { status: { phase: "Failed" } }, "BackupFailed", true],
  ["is not complete", { status: { phase: "Running" } }, "BackupNotComplete", false],
  ["has no status", { status: {} }, "BackupNotComplete", false],
  [
    "cannot be loaded",
    { status: { ...OBJECT.status, conditions: [{ type: "Restorable", ...condition }] } },
    "BackupNotRestorable",
    true,
  ],
  [
    "leads to another namespace",
    { status: { ...OBJECT.status, path: "b/orders/nightly-1a2b3c4d/" } },
    "BackupPathForeign",
    true,
  ],
  ["leads to another object", { uid: "ffffffff-0000" }, "BackupPathForeign", true],
  ["leads to another database", { spec: { ...OBJECT.spec, databaseName: "users" } }, "BackupPathForeign", true],
] as const)
  test(`a backup is not taken that ${rule}`, () => {
    const refused = restoreSource(named, "shop", { ...OBJECT, ...change } as NamedBackup); // readonly lists
    assert.deepEqual("id" in refused && [refused.id, refused.isForGood], [reason, isForGood]);
  });

test("one that is not there yet is waited for, and exactly one is named", () => {
  const missing = restoreSource(named, "shop", undefined);
  assert.deepEqual("id" in missing && [missing.id, missing.isForGood], ["BackupNotFound", false]);
  const both = { ...named, location: { path: "a/b", s3: S3 } };
  for (const spec of [both, { databaseName: "copy" }]) {
    const refused = restoreSource(spec, "shop", OBJECT);
    assert.deepEqual("id" in refused && [refused.id, refused.isForGood], ["SpecInvalid", true]);
  }
});

test("a backup of another namespace takes the word of the owner of the Secret", () => {
  const here = { namespace: "shop", secret: "keys", allowed: ["a"] };
  assert.equal(foreignBackup({ namespace: "shop", name: "orders" }, here), undefined);
  assert.equal(foreignBackup({ namespace: "a", name: "orders" }, here), undefined);
  const refused = foreignBackup({ namespace: "b", name: "orders" }, here);
  assert.equal(refused?.id, "BackupOfAnotherNamespace");
  assert.match(refused.remedy, /kubectl annotate secret keys .*storeenterprise\.io\/restores-from=a,b/);
});
