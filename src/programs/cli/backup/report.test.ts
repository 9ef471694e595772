import assert from "node:assert/strict";
import { test } from "node:test";
import type { BackupStatus } from "../../../core/api/backup-spec.ts";
import { backupDetails } from "./report.ts";

const BACKUP = {
  apiVersion: "app.storeenterprise.io/v1",
  kind: "StoreEnterpriseBackup",
  metadata: { name: "b1", uid: "u1", resourceVersion: "1" },
  spec: {
    databaseName: "orders",
    s3: { bucketName: "edited", endpoint: "https://other.example", awsSecretName: "keys" },
  },
};

for (const [rule, status, bucket] of [
  ["where it was begun, also when its spec was edited since", { place: { bucketName: "first" } }, "first"],
  [
    "with the endpoint of that place",
    { place: { bucketName: "first", endpoint: "https://store.example" } },
    "first at https://store.example",
  ],
  ["as its spec says, before it was begun", {}, "edited at https://other.example"],
] as const satisfies readonly (readonly [string, BackupStatus, string])[])
  test(`a backup is shown ${rule}`, () => {
    const text = backupDetails({ ...BACKUP, status }, 100);
    assert.equal(/^BUCKET +(.*)$/m.exec(text)?.[1], bucket);
  });
