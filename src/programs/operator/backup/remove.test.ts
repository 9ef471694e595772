import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kube } from "#kit/kube/kube";
import type { BackupStatus } from "../../../core/api/backup-spec.ts";
import type { ManagementClient } from "../../../ports/management/client.ts";
import { removeSaved } from "./remove.ts";
import type { StoredBackup } from "./report.ts";

const AT = "2026-11-30T01:30:00.000Z";
const PATH = "team/default/orders/nightly-1a2b3c4d/";

const cases: readonly { readonly name: string; readonly status?: BackupStatus; readonly asked: readonly string[] }[] = [
  {
    name: "what has saved something is removed where it lies",
    status: { phase: "Completed", startTime: AT, path: PATH },
    asked: ["team/default/orders nightly-1a2b3c4d"],
  },
  {
    name: "one that failed may have left something",
    status: { phase: "Failed", startTime: AT, path: PATH },
    asked: ["team/default/orders nightly-1a2b3c4d"],
  },
  {
    name: "one whose beginning an operator did not live to write down is removed too",
    status: { phase: "Completed", path: PATH },
    asked: ["team/default/orders nightly-1a2b3c4d"],
  },
  { name: "one that was never begun has saved nothing", status: { phase: "Failed", path: PATH }, asked: [] },
  { name: "one without a status has saved nothing", asked: [] },
];

for (const { name, status, asked } of cases)
  test(`removal: ${name}`, async () => {
    const scene = removal();
    assert.equal(await scene.remove(status), undefined);
    assert.deepEqual(scene.asked, asked);
  });

test("a status that names the place of another backup leads to the removal of none", async () => {
  const scene = removal();
  const said = await scene.remove({ phase: "Completed", startTime: AT, path: "team/default/orders/first-99999999/" });
  assert.equal(said?.reason, "BackupPathForeign");
  assert.match(said.message, /first-99999999\/; remedy: kubectl delete rebackup nightly /);
  assert.deepEqual(scene.asked, []);
});

function removal() {
  const asked: string[] = [];
  const kube = { get: () => Promise.resolve(secret()) } as unknown as Kube; // nothing else is asked
  const call = (_route: string, { body }: { readonly body: { readonly folder: string; readonly name: string } }) => {
    asked.push(`${body.folder} ${body.name}`);
    return Promise.resolve({ removed_files: 1 });
  };
  const connection = { client: { call } as unknown as ManagementClient }; // nothing else is asked
  const metadata = { namespace: "default", uid: "1a2b3c4d-0000", resourceVersion: "1" };
  const stored = { apiVersion: "", kind: "", metadata };
  const cluster = { ...stored, metadata: { ...metadata, name: "rec" } };
  const database = { ...stored, metadata: { ...metadata, name: "orders" }, spec: {}, status: { databaseUID: "1" } };
  const deps = {
    kube,
    holderOf: () => undefined,
    cache: { clusters: { list: () => [cluster], get: () => cluster }, databases: { get: () => database } },
    contexts: { of: () => ({ connection }) },
  } as unknown as Parameters<typeof removeSaved>[0]; // nothing else is asked
  const spec = { databaseName: "orders", s3: { bucketName: "backups", awsSecretName: "keys" } };
  return {
    asked,
    remove: (status?: BackupStatus) => {
      const backup: StoredBackup = { ...stored, metadata: { ...metadata, name: "nightly" }, spec };
      return removeSaved(deps, status === undefined ? backup : { ...backup, status });
    },
  };
}

function secret() {
  const data = { AWS_ACCESS_KEY_ID: "a2V5", AWS_SECRET_ACCESS_KEY: "a2V5" };
  return { apiVersion: "v1", kind: "Secret", metadata: { name: "keys", namespace: "default", uid: "1" }, data };
}
