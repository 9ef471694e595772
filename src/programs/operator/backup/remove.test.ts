import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "#kit/base/fault";
import type { Kube } from "#kit/kube/kube";
import type { BackupStatus } from "../../../core/api/backup-spec.ts";
import { sentenceOf } from "../../../core/planner/findings/finding.ts";
import type { ManagementClient } from "../../../ports/management/client.ts";
import type { BackupInspection, BackupLook, BackupRemovalRecord } from "../../../ports/management/records/backups.ts";
import { faults } from "../../../ports/management/faults.ts";
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

test("what was saved is removed where it was put, whatever the spec says by now", async () => {
  const scene = removal();
  const place = { bucketName: "former", endpoint: "https://former.example", pathStyle: true };
  assert.equal(await scene.remove({ phase: "Completed", startTime: AT, path: PATH, place }), undefined);
  assert.deepEqual(scene.stores, [{ bucket: "former", endpoint: "https://former.example", path_style: true }]);
});

for (const [rule, look, isHalfGone] of [
  ["has no manifest any more is half gone", { failure: failureOf("BACKUP_NOT_THERE") }, true],
  ["has its manifest is whole", {}, false],
  ["cannot be looked at counts as whole", undefined, false],
] as const)
  test(`what could not be removed and ${rule}`, async () => {
    const scene = removal({ failure: failureOf("OBJECT_STORE_BUSY") }, look);
    const said = await scene.remove({ phase: "Completed", startTime: AT, path: PATH });
    assert.deepEqual([said?.id, said?.isHalfGone], ["ObjectStoreBusy", isHalfGone]);
  });

test("what a former database has saved is refused with the lines that remove it", async () => {
  const scene = removal({ failure: failureOf("BACKUP_FOREIGN") });
  const place = { bucketName: "former", endpoint: "https://former.example" };
  const said = await scene.remove({ phase: "Completed", startTime: AT, path: PATH, place });
  assert.equal(said?.isHalfGone, false);
  assert.match(
    sentenceOf(said),
    /; remedy: aws s3 rm --recursive s3:\/\/former\/team\/default\/orders\/nightly-1a2b3c4d\/ --endpoint-url https:\/\/former\.example && kubectl delete rebackup nightly/,
  );
});

test("a status that names the place of another backup leads to the removal of none", async () => {
  const scene = removal();
  const said = await scene.remove({ phase: "Completed", startTime: AT, path: "team/default/orders/first-99999999/" });
  assert.equal(said?.id, "BackupPathForeign");
  assert.match(sentenceOf(said), /first-99999999\/; remedy: kubectl delete rebackup nightly /);
  assert.deepEqual(scene.asked, []);
});

function failureOf(code: string): NonNullable<BackupLook["failure"]> {
  return { error_code: code, description: "it does not go.", remedy: "Do something.", retry: "backoff" };
}

/** `removed` and `look`: what the cluster says to a removal, and to a question for what is there; undefined: nothing. */
function removal(removed: BackupRemovalRecord = { removed_files: 1 }, look?: BackupLook) {
  const asked: string[] = [];
  const stores: object[] = [];
  const kube = { get: () => Promise.resolve(secret()) } as unknown as Kube; // nothing else is asked
  const call = (route: string, { body }: { readonly body: BackupInspection }) => {
    if (route === "inspectBackup")
      return look === undefined ? Promise.reject(new Fault(faults.unreachable, "no answer")) : Promise.resolve(look);
    asked.push(`${body.folder} ${body.name}`);
    const { bucket, endpoint, path_style } = body.s3;
    stores.push({ bucket, endpoint, path_style });
    return Promise.resolve(removed);
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
    stores,
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
