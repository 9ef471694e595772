import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "#kit/base/log";
import { FakeClock } from "#kit/testing/fake-clock";
import { until } from "#kit/testing/until";
import { factsOf, on } from "../../../../../test/kit/facts/database-scene.ts";
import type { RestoreStart } from "../../../../ports/management/records/backups.ts";
import { backupHandlers } from "./backup-handlers.ts";

const { record } = factsOf({ instances: [on(1, 1)] });
const S3 = { bucket: "backups", region: "us-east-1", path_style: true, access_key_id: "a", secret_access_key: "s" };
const START: RestoreStart = { folder: "team/orders", name: "nightly-1a2b", s3: S3 };

test("a backup is not removed while a database is restored from it", async () => {
  const scene = handlers();
  const params = { uid: "1" };
  await scene.startRestore({ params, body: START });
  await assert.rejects(scene.removeBackup({ params, body: START }), /restored from backup nightly-1a2b/);
  assert.deepEqual(scene.removed, []);
  const other = { ...START, name: "nightly-3c4d" };
  await scene.removeBackup({ params, body: other });
  scene.endRestore();
  await until("the restore has failed", async () => (await scene.restore({ params })).status === "failed");
  await scene.removeBackup({ params, body: START });
  assert.deepEqual(scene.removed, ["nightly-3c4d", "nightly-1a2b"]);
});

function handlers() {
  const removed: string[] = [];
  const reading = Promise.withResolvers<never>();
  const remove = ({ name }: { readonly name: string }) => {
    removed.push(name);
    return Promise.resolve(1);
  };
  const context = {
    config: { node: 1, cluster: "rec", namespace: "default" },
    election: { isLeader: () => true },
    records: { database: () => record },
    backups: { remove, restores: { read: () => reading.promise } },
    foundEngines: [],
    clock: new FakeClock(),
    log: silentLog,
  };
  const shards = record.shards.map((shard) => ({ ...shard, recovery: { awaited: true } }));
  const reads = { record: () => Promise.resolve({ ...record, shards }) };
  const all = backupHandlers(...([context, reads] as unknown as Parameters<typeof backupHandlers>)); // nothing else is asked
  return {
    ...(all as unknown as Readonly<
      Record<"startRestore" | "removeBackup" | "restore", (call: object) => Promise<{ readonly status: string }>>
    >),
    removed,
    endRestore: () => {
      reading.reject(new Error("it cannot be read"));
    },
  };
}
