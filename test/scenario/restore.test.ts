import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { until } from "#kit/testing/until";
import type { BackupStart, RestoreRecord, RestoreStart } from "../../src/ports/management/records/backups.ts";
import type { BdbCreate } from "../../src/ports/management/records.ts";
import { callEngine } from "../../src/ports/resp/engine-client.ts";
import { parseInfo } from "../../src/ports/resp/info.ts";
import { textOf } from "../../src/ports/resp/reply.ts";
import { secured } from "../kit/tls/secured-endpoint.ts";
import { startTestCluster, type TestCluster } from "../kit/world/cluster.ts";
import { enginesOf } from "../kit/world/engine-access.ts";
import { filledDatabase, KEYS } from "../kit/world/filled-database.ts";
import { knownNode } from "../kit/world/known-node.ts";
import { skipWithoutObjectStore } from "../object-store/assets.ts";
import { startObjectStore, type TestObjectStore } from "../object-store/server.ts";

// Databases that are made from a backup: what they hold then, and that none begins without its data.

const skip = skipWithoutObjectStore();
const PATIENCE = { withinMs: 60_000 };

test("databases that are made from backups, on three nodes", { skip }, async (t) => {
  await using cluster = await startTestCluster();
  await using server = await startObjectStore();
  const scene = restoring(cluster, server);
  const digests = await scene.savedAndGone();

  for (const persistence of ["aofEverySecond", "disabled"] as const)
    await t.test(
      `one with TLS and persistence ${persistence} has all shards with their digests, and replicas`,
      async () => {
        const name = `copy-${persistence.toLowerCase()}`;
        const uid = await scene.made({ ...SHAPE, name, ...secured(name), data_persistence: persistence });
        assert.equal((await scene.restored(uid)).status, "completed");
        await until("it is active", () => scene.isActive(uid), PATIENCE);
        assert.deepEqual(await scene.digests(uid), digests);
        const shards = await cluster.shards(uid);
        assert.equal(shards.filter(({ role }) => role === "slave").length, 2);
        await scene.remove(uid);
      },
    );

  await t.test("an encrypted one fills a database with its key alone, and leaves it in recovery without", async () => {
    const uid = await scene.made({ ...SHAPE, name: "sealed" });
    for (const change of [{}, { encryption: { keys: [OTHER] } }]) {
      const refused = await scene.restored(uid, { name: "sealed", ...change });
      assert.deepEqual([refused.status, refused.failure?.error_code], ["failed", "BACKUP_KEY_MISSING"]);
      const { status } = await cluster.client.call("bdb", { params: { uid } });
      assert.equal(status, "recovery");
    }
    const withKey = { name: "sealed", encryption: { keys: [OTHER, KEY] } };
    assert.equal((await scene.restored(uid, withKey)).status, "completed");
    await until("it is active", () => scene.isActive(uid), PATIENCE);
    assert.deepEqual(await scene.digests(uid), digests);
    for (const node of [1, 2, 3])
      assert.deepEqual(
        [KEY, OTHER].map(({ key }) => cluster.log(node).includes(key)),
        [false, false],
      );
    await scene.remove(uid);
  });

  await refusals(t, scene, cluster, server);
  await olderNodes(t, scene, cluster);
});

async function refusals(
  t: TestContext,
  scene: ReturnType<typeof restoring>,
  cluster: TestCluster,
  server: TestObjectStore,
): Promise<void> {
  await t.test("one whose backup cannot be read waits in recovery with the reason, and is never empty", async () => {
    const uid = await scene.made({ ...SHAPE, name: "waits", data_persistence: "disabled" });
    const file = server.keys().find((key) => key.endsWith("shard-1.rdb")) ?? "";
    const path = join(server.folder, file);
    const whole = readFileSync(path);
    writeFileSync(path, whole.subarray(0, 100));
    const damaged = await scene.restored(uid);
    assert.deepEqual([damaged.status, damaged.failure?.error_code], ["failed", "BACKUP_DAMAGED"]);
    const missing = await scene.restored(uid, { name: "none" });
    assert.equal(missing.failure?.error_code, "BACKUP_NOT_THERE");
    // its agents start anew: what they find is no reason to begin
    for (const node of [1, 2, 3]) {
      await cluster.kill(node);
      await cluster.start(node);
    }
    const { status, recovery } = await cluster.client.call("bdb", { params: { uid } });
    assert.deepEqual([status, recovery?.needs_consent], ["recovery", false]);
    assert.match(recovery?.lacks ?? "", /are to be restored from a backup/);
    const primaries = (await cluster.shards(uid)).filter(({ role }) => role === "master");
    assert.deepEqual([primaries.length, primaries.filter(({ status: stands }) => stands === "active")], [2, []]);
    writeFileSync(path, whole);
    assert.equal((await scene.restored(uid)).status, "completed");
    await until("it is active", () => scene.isActive(uid), PATIENCE);
    assert.equal(await scene.keys(uid), KEYS);
    await assert.rejects(scene.restored(uid), /not_recoverable/);
    await scene.remove(uid);
  });

  await t.test(
    "one with other shards than its backup is refused, and begins empty only when a user says so",
    async () => {
      const uid = await scene.made({ ...SHAPE, name: "one", shards_count: 1 });
      const refused = await scene.restored(uid);
      assert.equal(refused.failure?.error_code, "AGENT_BACKUP_UNFIT");
      assert.match(refused.failure.description, /the slots 0-8191 8192-16383, and the shards of the database 0-16383/);
      await cluster.client.call("recoverBdb", { params: { uid }, body: { recover_without_data: true } });
      await until("it is active", () => scene.isActive(uid), PATIENCE);
      assert.equal(await scene.keys(uid), 0);
      await scene.remove(uid);
    },
  );
}

async function olderNodes(t: TestContext, scene: ReturnType<typeof restoring>, cluster: TestCluster): Promise<void> {
  await t.test("none is made while a node is known that would let it begin without its data", async () => {
    await using _node = await knownNode(cluster, { uid: 9, without: ["awaited-data"] });
    await assert.rejects(scene.made({ ...SHAPE, name: "older" }), /no node of an older release lets .*: node 9/);
  });
}

const KEY = { name: "key-1", key: randomBytes(32).toString("base64") };
const OTHER = { name: "key-2", key: randomBytes(32).toString("base64") };
const SHAPE = { memory_size: 60_000_000, redis_version: "7.2", replication: true, shards_count: 2 } as const;

function restoring(cluster: TestCluster, { access }: TestObjectStore) {
  const { client } = cluster;
  const { bucket, region, endpoint = "", accessKeyId, secretAccessKey } = access;
  const keys = { access_key_id: accessKeyId, secret_access_key: secretAccessKey };
  const place = { name: "saved", folder: "team", s3: { bucket, region, endpoint, path_style: true, ...keys } };
  const infoOf = async (uid: number, section: string) => {
    const engines = await enginesOf(cluster, uid);
    const texts = await Promise.all(engines.map((engine) => callEngine(engine, "INFO", section)));
    return texts.map((text) => parseInfo(textOf(text)));
  };

  return {
    /** A database is saved, once more by a key, and deleted; the digests of its shards. */
    async savedAndGone(): Promise<readonly string[]> {
      await using source = await filledDatabase(cluster, { ...SHAPE, name: "source", ...secured("source") });
      const { uid } = source;
      for (const change of [{}, { name: "sealed", encryption: { keys: [KEY] } }]) {
        const body: BackupStart = { ...place, verify: false, ...change };
        await client.call("startBackup", { params: { uid }, body });
        const isSaved = async () => (await client.call("backup", { params: { uid } })).status === "completed";
        await until("it is saved", isSaved, PATIENCE);
      }
      return await this.digests(uid);
    },
    async made(body: BdbCreate): Promise<number> {
      const { uid, status } = await client.call("createBdb", { body: { ...body, awaits_data: true } });
      assert.equal(status, "recovery");
      return uid;
    },
    async restored(uid: number, change: Partial<RestoreStart> = {}): Promise<RestoreRecord> {
      await client.call("startRestore", { params: { uid }, body: { ...place, ...change } });
      const last = (): Promise<RestoreRecord> => client.call("restore", { params: { uid } });
      await until("it has ended", async () => (await last()).status !== "running", PATIENCE);
      return last();
    },
    isActive: async (uid: number): Promise<boolean> =>
      (await client.call("bdb", { params: { uid } })).status === "active",
    /** Of the primaries, in the order of their shards. */
    async digests(uid: number): Promise<readonly string[]> {
      const [engines, roles] = [await enginesOf(cluster, uid), await infoOf(uid, "replication")];
      const primaries = engines.filter((_, at) => roles[at]?.get("role") === "master");
      const all = await Promise.all(primaries.map((engine) => callEngine(engine, "DEBUG", "DIGEST")));
      return all.map(textOf).toSorted();
    },
    async keys(uid: number): Promise<number> {
      const [roles, spaces] = [await infoOf(uid, "replication"), await infoOf(uid, "keyspace")];
      const ofPrimaries = spaces.filter((_, at) => roles[at]?.get("role") === "master");
      return ofPrimaries.reduce((sum, space) => sum + Number(/keys=(\d+)/.exec(space.get("db0") ?? "")?.[1] ?? 0), 0);
    },
    async remove(uid: number): Promise<void> {
      await client.call("deleteBdb", { params: { uid } });
      const isGone = async () => (await client.call("bdbs")).every((bdb) => bdb.uid !== uid);
      await until("it is gone", isGone, PATIENCE);
    },
  };
}
