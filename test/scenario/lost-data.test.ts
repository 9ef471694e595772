import assert from "node:assert/strict";
import { readFile, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { NODE_PATHS } from "../../src/core/api/names.ts";
import type { BdbRecord } from "../../src/ports/management/records.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { KEYS, filledDatabase, type FilledDatabase } from "../kit/world/filled-database.ts";
import { primaryOf } from "../kit/world/shards.ts";
import { until } from "#kit/testing/until";

// A primary whose data is gone or cannot be read: what was lost is said, and a copy that has the data serves.

const PATIENCE = { withinMs: 40_000, everyMs: 20 };
const DURABLE = { replication: true, data_persistence: "aofAlways" } as const;

await using cluster = await startTestCluster();

await test("the data directory of a primary is removed while it runs: when it ends, its replica serves, and what may be lost is said", async () => {
  await using database = await filledDatabase(cluster, { name: "removed", ...DURABLE });
  const { epoch } = await database.active();
  await rm(await directory(database), { recursive: true });
  await crash(database);
  await until("a replica has taken over", async () => ((await database.seen())?.epoch ?? 0) > epoch, PATIENCE);
  await database.copied();
  assert.equal(await database.keys(), KEYS);
  // whether the data is gone is said too when its node has looked before the replica took over: no take-over waits for a disk
  assert.match(
    (await database.active()).loss_reports.join(),
    /took over "removed" from node \d.*; it has all that the old primary was seen to have written/,
  );
});

await test("the AOF of a primary is gone: it does not start empty, and its replica does not follow it into that", async () => {
  await using database = await filledDatabase(cluster, { name: "emptied", ...DURABLE });
  const { epoch } = await database.active();
  const folder = join(await directory(database), "appendonlydir");
  await rm(folder, { recursive: true });
  await crash(database);
  await until("a replica has taken over", async () => ((await database.seen())?.epoch ?? 0) > epoch, PATIENCE);
  await database.copied();
  assert.equal(await database.keys(), KEYS);
});

await test("the only copy is gone: the database waits, says so, and starts empty once a user agrees", async () => {
  await using database = await filledDatabase(cluster, { name: "single", data_persistence: "aofAlways" });
  const { uid } = database;
  await rm(join(await directory(database), "appendonlydir"), { recursive: true });
  await crash(database);
  const { recovery } = await asking(database);
  assert.match(
    recovery?.lacks ?? "",
    /the data of "single" on node \d is gone with its volume; no replica has another copy/,
  );
  await cluster.client.call("recoverBdb", { params: { uid }, body: { recover_without_data: true } });
  const back = await database.active();
  assert.equal(await database.keys(), 0);
  assert.match(back.loss_reports.join(), /"single" starts empty/);
});

await test("the only copy cannot be read: the database says what its engine said, and serves when that is mended", async () => {
  await using database = await filledDatabase(cluster, { name: "broken", data_persistence: "aofAlways" });
  const folder = join(await directory(database), "appendonlydir");
  const [manifest] = (await readdir(folder)).filter((name) => name.endsWith(".manifest"));
  assert.ok(manifest !== undefined);
  const intact = await readFile(join(folder, manifest));
  await truncate(join(folder, manifest), 5);
  await crash(database);
  const says = async (): Promise<boolean> =>
    /is starting; it has ended [3-9] times before it served: .*manifest/i.test(
      (await database.seen())?.waiting_for ?? "",
    );
  await until("it says why it does not start", says, PATIENCE);
  const { loss_reports: reports = [] } = (await database.seen()) ?? {};
  assert.ok(reports.length <= 1, `one outage is said once: ${reports.join("; ")}`);
  await writeFile(join(folder, manifest), intact);
  await database.active();
  assert.equal(await database.keys(), KEYS);
});

async function directory({ uid }: FilledDatabase): Promise<string> {
  const { node_uid, uid: shard } = primaryOf(await cluster.shards(uid));
  const data = join(cluster.root(Number(node_uid)), NODE_PATHS.data, `db-${uid}`);
  const [instance, more] = await readdir(data);
  assert.ok(instance !== undefined && more === undefined, `shard ${shard} has one directory`);
  return join(data, instance);
}

async function crash({ uid }: FilledDatabase): Promise<void> {
  const primary = primaryOf(await cluster.shards(uid));
  const pid = await cluster.enginePid(primary);
  assert.ok(pid > 0, "the primary runs");
  process.kill(pid, "SIGKILL");
  await until("it has ended", async () => (await cluster.enginePid(primary)) !== pid, PATIENCE);
}

async function asking(database: FilledDatabase): Promise<BdbRecord> {
  let found: BdbRecord | undefined;
  const asks = async (): Promise<boolean> => (found = await database.seen())?.recovery?.needs_consent === true;
  await until("it asks for consent", asks, PATIENCE);
  assert.ok(found !== undefined);
  return found;
}
