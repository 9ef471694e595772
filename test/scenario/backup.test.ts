import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import type { BackupRecord, BackupStart } from "../../src/ports/management/records/backups.ts";
import { secured } from "../kit/tls/secured-endpoint.ts";
import { startTestCluster, type TestCluster } from "../kit/world/cluster.ts";
import { filledDatabase, KEYS } from "../kit/world/filled-database.ts";
import { skipWithoutObjectStore } from "../object-store/assets.ts";
import { startObjectStore, type TestObjectStore } from "../object-store/server.ts";

// Backups by the management API: what they hold, whom they burden, and what becomes of them when nodes are lost.

const skip = skipWithoutObjectStore();

test("backups of databases on three nodes", { skip }, async (t) => {
  await using cluster = await startTestCluster();
  await using server = await startObjectStore();
  const { wanted, ended, completed } = asking(cluster, server);

  await t.test("two shards with TLS are saved from their replicas, whole, and no password is in a log", async () => {
    await using database = await filledDatabase(cluster, {
      name: "whole",
      memory_size: 40_000_000,
      replication: true,
      shards_count: 2,
      ...secured("whole"),
    });
    const backup = await completed(database.uid, wanted("first"));
    assert.deepEqual(
      [backup.keys, backup.files?.map(({ role }) => role), backup.files?.map(({ assigned_slots: slots }) => slots)],
      [KEYS, ["replica", "replica"], ["0-8191", "8192-16383"]],
    );
    const manifest = readFileSync(join(server.folder, "team/first/manifest.json"), "utf8");
    assert.equal(manifest.includes(server.access.secretAccessKey), false);
    for (const node of [1, 2, 3]) assert.equal(cluster.log(node).includes(server.access.secretAccessKey), false);
    assert.deepEqual(
      [backup.verification?.status, backup.verification?.files.reduce((sum, { keys }) => sum + keys, 0)],
      ["passed", KEYS],
    );
    const again = await completed(database.uid, wanted("first"));
    assert.deepEqual({ ...again, verification: undefined }, { ...backup, verification: undefined });
    const { client } = cluster;
    assert.deepEqual(
      (await client.call("backups", { params: { uid: database.uid } })).map(({ name }) => name),
      ["first"],
    );
    const failed = await ended(database.uid, { ...wanted("other"), s3: { ...wanted("other").s3, bucket: "none" } });
    assert.deepEqual([failed.status, failed.failure?.error_code], ["failed", "OBJECT_STORE_BUCKET"]);
  });

  await t.test(
    "the leader is lost while it takes one: its successor knows none, and takes it under the same name",
    async () => {
      await using database = await filledDatabase(cluster, { name: "lost", replication: true });
      const leader = await cluster.leader();
      await cluster.client.call("startBackup", {
        params: { uid: database.uid },
        body: { ...wanted("second"), bytes_per_second: 1_000_000 },
      });
      await cluster.kill(leader);
      await until("another node leads", async () => (await cluster.leader()) !== leader, { withinMs: 30_000 });
      await assert.rejects(cluster.client.call("backup", { params: { uid: database.uid } }), /backup_not_found/);
      // its replica follows the next primary a moment later
      const inTime = { withinMs: 30_000 };
      await until(
        "it is there",
        async () => (await ended(database.uid, wanted("second"))).status === "completed",
        inTime,
      );
      assert.equal((await cluster.client.call("backup", { params: { uid: database.uid } })).keys, KEYS);
      await cluster.start(leader);
    },
  );
});

function asking({ client }: TestCluster, server: TestObjectStore) {
  function wanted(name: string): BackupStart {
    const { bucket, region, endpoint = "", accessKeyId, secretAccessKey } = server.access;
    const keys = { access_key_id: accessKeyId, secret_access_key: secretAccessKey };
    return { name, folder: "team", verify: true, s3: { bucket, region, endpoint, path_style: true, ...keys } };
  }

  async function completed(uid: number, body: BackupStart): Promise<BackupRecord> {
    const backup = await ended(uid, body);
    assert.equal(backup.status, "completed", JSON.stringify(backup));
    return backup;
  }

  async function ended(uid: number, body: BackupStart): Promise<BackupRecord> {
    await client.call("startBackup", { params: { uid }, body });
    const last = (): Promise<BackupRecord> => client.call("backup", { params: { uid } });
    let found = await last();
    const isOver = async (): Promise<boolean> => {
      found = await last();
      return found.status !== "running" && found.verification?.status !== "running";
    };
    await until("it has ended", isOver, { withinMs: 60_000 });
    return found;
  }

  return { wanted, ended, completed };
}
