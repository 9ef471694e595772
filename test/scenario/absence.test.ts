import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { ConfigMap } from "kubernetes-types/core/v1.js";
import { LABELS, NODE_PATHS } from "../../src/core/api/names.ts";
import type { ShardInstanceRecord } from "../../src/ports/management/records.ts";
import { callEngine } from "../../src/ports/resp/engine-client.ts";
import { ConfigMaps } from "#kit/kube/builtin";
import type { Stored } from "#kit/kube/kube";
import { changeObject } from "#kit/kube/records";
import { startTestCluster } from "../kit/world/cluster.ts";
import { KEYS, filledDatabase, type FilledDatabase } from "../kit/world/filled-database.ts";
import { kubeOf, readRecord, recordRef } from "../kit/world/records.ts";
import { nodeOf, primaryOf } from "../kit/world/shards.ts";
import { until } from "#kit/testing/until";

// What is missing deletes nothing: records that vanish, come back, or come back as they were before.

const PATIENCE = { withinMs: 30_000, everyMs: 20 };
const NODES = [1, 2, 3];
const DURABLE = { replication: true, data_persistence: "aofAlways" } as const;

await using cluster = await startTestCluster();
using kube = kubeOf(cluster);

await test("a record is deleted by hand: both copies are set aside, and used again when the record returns", async () => {
  await using database = await filledDatabase(cluster, { name: "deleted", ...DURABLE });
  const record = await recordOf(database);
  await kube.delete(ConfigMaps, recordRef(cluster, database.uid));
  await setAside(database, 2);
  await kube.create(ConfigMaps, copyOf(record));
  await database.active();
  assert.equal(await database.keys(), KEYS);
  // what is used again is no longer set aside
  await setAside(database, 0);
});

await test("a record that was deleted by hand is put back by its uid, as most nodes keep it, and its data is used again", async () => {
  await using database = await filledDatabase(cluster, { name: "restored", ...DURABLE });
  await settledShards(database);
  const { data: before } = await recordOf(database);
  const params = { uid: database.uid };
  assert.equal((await cluster.client.call("restoreRecord", { params })).uid, database.uid, "it is there");
  await kube.delete(ConfigMaps, recordRef(cluster, database.uid));
  await setAside(database, 2);
  await until("every node says that it keeps it", async () => (await keeping(database)).length === 3, PATIENCE);
  await assert.rejects(cluster.client.call("restoreRecord", { params: { uid: 4_000 } }), /404 record_not_found/);
  await until("the leader has read the reports, and puts it back", () => isPutBack(database), PATIENCE);
  const { data: after } = await recordOf(database);
  assert.deepEqual(identityIn(after), identityIn(before));
  await database.active();
  assert.equal(await database.keys(), KEYS);
  await until("nothing is missing any more", async () => (await keeping(database)).length === 0, PATIENCE);
});

await test("a record loses its label, and a database that keeps nothing on disk still has all when the label is back", async () => {
  await using database = await filledDatabase(cluster, { name: "unlabelled" });
  await label(database, null);
  await setAside(database, 1);
  await label(database, "database");
  await database.active();
  assert.equal(await database.keys(), KEYS);
});

await test("what is set aside is reported with its size, and removed when a user asks for that or its time is over", async () => {
  const database = await filledDatabase(cluster, { name: "released", ...DURABLE });
  await kube.delete(ConfigMaps, recordRef(cluster, database.uid));
  await setAside(database, 2);
  const reported = async () =>
    (await cluster.client.call("nodes")).flatMap(({ uid, set_aside = [] }) =>
      set_aside.filter(({ bdb }) => bdb === database.uid).map((one) => ({ node: uid, ...one })),
    );
  const again = () => cluster.client.call("createBdb", { body: { name: "released", memory_size: 20_000_000 } });
  await assert.rejects(again(), /409 data_set_aside/);
  await until("both are reported", async () => (await reported()).length === 2, PATIENCE);
  const [one, other] = await reported();
  assert.ok(one !== undefined && other !== undefined);
  assert.deepEqual([one.name, one.bytes > KEYS], ["released", true]);
  const params = { uid: one.node, id: one.id };
  assert.deepEqual(await cluster.client.call("releaseSetAside", { params }), []);
  await assert.rejects(cluster.client.call("releaseSetAside", { params }), /404 data_not_found/);
  assert.equal(asideOn(database).length, 1);
  await age(other.node, other.id, 8);
  await cluster.kill(other.node);
  await cluster.start(other.node);
  await until("its time is over", () => asideOn(database).length === 0, PATIENCE);
  await until("its node says so", async () => (await reported()).length === 0, PATIENCE);
});

await test("an older record is restored: a replica that was made since is set aside, and the database goes on", async () => {
  await using database = await filledDatabase(cluster, { name: "older", ...DURABLE });
  const record = await recordOf(database);
  const [replica] = (await cluster.shards(database.uid)).filter(({ role }) => role === "slave");
  assert.ok(replica !== undefined);
  const left = nodeOf(replica);
  await cluster.client.call("maintenanceOn", { params: { uid: left }, body: {} });
  await until("the copy on the node that is left is retired", () => !heldBy(left, database), PATIENCE);
  await cluster.client.call("maintenanceOff", { params: { uid: left } });
  await restore(record, database);
  await setAside(database, 1);
  await database.active();
  await database.copied();
  assert.equal(await database.keys(), KEYS);
});

await test("a record of earlier epochs is restored: the database serves all that was written since", async () => {
  await using database = await filledDatabase(cluster, { name: "earlier", ...DURABLE });
  const record = await recordOf(database);
  for (const _round of [1, 2, 3]) await succeed(database);
  await settledShards(database);
  await database.call("SET", "later", "value");
  await settledShards(database);
  await restore(record, database);
  await settledShards(database);
  await until("it serves on every node", () => servesEverywhere(database), PATIENCE);
  assert.equal(await database.keys(), KEYS + 1);
});

await test("a record is restored that names none of the copies any more: a user chooses one of those that are set aside", async () => {
  await using database = await filledDatabase(cluster, { name: "chosen", ...DURABLE });
  const record = await recordOf(database);
  const before = await cluster.shards(database.uid);
  for (const node of before.toSorted(({ role }) => (role === "slave" ? -1 : 1)).map(nodeOf))
    await leaveAndReturn(node, database);
  await settledShards(database);
  await database.call("SET", "later", "value");
  const after = await settledShards(database);
  assert.ok(
    after.every(({ uid }) => !before.some((one) => one.uid === uid)),
    "every copy was made since",
  );
  await restore(record, database);
  await until("it asks", async () => (await database.seen())?.recovery?.needs_consent === true, PATIENCE);
  await setAside(database, 2);
  const node = nodeOf(primaryOf(after));
  const data = async () =>
    (await cluster.client.call("node", { params: { uid: node } })).set_aside?.find(({ bdb }) => bdb === database.uid);
  await until("its node has reported it", async () => (await data()) !== undefined, PATIENCE);
  const body = { set_aside: { node, id: (await data())?.id ?? "" } };
  await cluster.client.call("recoverBdb", { params: { uid: database.uid }, body });
  const back = await database.active();
  assert.match(back.loss_reports.join(), /"chosen" comes back from what node \d had set aside/);
  await settledShards(database);
  assert.equal(await database.keys(), KEYS + 1);
});

await test("a database that is deleted is deleted everywhere, also on a node that was away, and nothing of it is set aside", async () => {
  const database = await filledDatabase(cluster, { name: "gone", ...DURABLE });
  const away = nodeOf(primaryOf(await cluster.shards(database.uid)));
  await cluster.kill(away);
  await database[Symbol.asyncDispose]();
  await cluster.start(away);
  await until("no node holds any of it", () => NODES.every((node) => !heldBy(node, database)), PATIENCE);
  assert.deepEqual(asideOn(database), []);
  await until("no node keeps its record", () => NODES.every((node) => !recordOn(node, database)), PATIENCE);
});

/** The nodes that report a record of the database as missing. */
async function keeping({ uid: bdb }: FilledDatabase): Promise<readonly number[]> {
  const nodes = await cluster.client.call("nodes");
  return nodes
    .filter(({ missing_records = [] }) => missing_records.some((one) => one.bdb === bdb))
    .map(({ uid }) => uid);
}

/** False while the leader has not read what most nodes report. */
async function isPutBack({ uid }: FilledDatabase): Promise<boolean> {
  try {
    return (await cluster.client.call("restoreRecord", { params: { uid } })).uid === uid;
  } catch (error) {
    if (/record_not_found|record_uncertain/.test(String(error))) return false;
    throw error;
  }
}

/** What a record is of: the leader goes on with the rest at once. */
function identityIn(data: ConfigMap["data"]): unknown {
  const { uid, name, port, createdTime, memoryBytes } = JSON.parse(data?.record ?? "{}");
  return { uid, name, port, createdTime, memoryBytes };
}

/** Waits until no node has an engine of the database, and so many folders of it are set aside. */
async function setAside(database: FilledDatabase, copies: number): Promise<void> {
  await until(`${copies} copies are set aside`, () => asideOn(database).length === copies, PATIENCE);
}

function asideOn({ uid }: FilledDatabase): readonly string[] {
  return NODES.flatMap((node) => {
    const folder = join(cluster.root(node), NODE_PATHS.data, "set-aside");
    return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(`db-${uid}-`)) : [];
  });
}

/** Once a primary serves, and its replica is in sync and may succeed it. */
async function settledShards(database: FilledDatabase): Promise<readonly ShardInstanceRecord[]> {
  const isSettled = async (): Promise<boolean> => {
    const shards = await cluster.shards(database.uid);
    const { inSync, epoch } = (await readRecord(kube, cluster, database.uid)).shards[0] ?? {};
    return shards.every(({ in_sync }) => in_sync) && inSync?.epoch === epoch && inSync?.members.length === 1;
  };
  await until("it has a replica that may succeed the primary", isSettled, PATIENCE);
  return cluster.shards(database.uid);
}

/** A node is left, so that its copy is made elsewhere, and taken back. */
async function leaveAndReturn(node: number, database: FilledDatabase): Promise<void> {
  await settledShards(database);
  await cluster.client.call("maintenanceOn", { params: { uid: node }, body: {} });
  await until("its copy is retired", () => !heldBy(node, database), PATIENCE);
  await cluster.client.call("maintenanceOff", { params: { uid: node } });
}

/** The engine of the primary is killed, and its replica takes over. */
async function succeed(database: FilledDatabase): Promise<void> {
  const primary = primaryOf(await settledShards(database));
  const { epoch } = await database.active();
  const pid = await cluster.enginePid(primary);
  assert.ok(pid > 0, "the primary runs");
  process.kill(pid, "SIGKILL");
  await until("another one serves", async () => ((await database.seen())?.epoch ?? 0) > epoch, PATIENCE);
}

async function servesEverywhere(database: FilledDatabase): Promise<boolean> {
  const { port } = await database.active();
  const answers = NODES.map((node) =>
    callEngine({ host: cluster.address(node), port, password: "", timeoutMs: 2_000 }, "GET", "later").catch(
      () => undefined,
    ),
  );
  return (await Promise.all(answers)).every((answer) => answer === "value");
}

/** As if it had been set aside so many days ago. */
async function age(node: number, id: string, days: number): Promise<void> {
  const folder = join(cluster.root(node), NODE_PATHS.data, "set-aside");
  const older = id.replace(/\d+$/, (since) => String(Number(since) - days * 86_400_000));
  await rename(join(folder, id), join(folder, older));
}

function heldBy(node: number, { uid }: FilledDatabase): boolean {
  return existsSync(join(cluster.root(node), NODE_PATHS.data, `db-${uid}`));
}

function recordOn(node: number, { uid }: FilledDatabase): boolean {
  return existsSync(join(cluster.root(node), NODE_PATHS.data, "records", `db-${uid}`));
}

async function recordOf(database: FilledDatabase) {
  const found = await kube.get(ConfigMaps, recordRef(cluster, database.uid));
  assert.ok(found !== undefined);
  return found;
}

/** Writes the record as it was. Nodes may write it in the same moment. */
async function restore(record: Stored<ConfigMap>, database: FilledDatabase): Promise<void> {
  await changeObject(kube, ConfigMaps, recordRef(cluster, database.uid), (now) => ({
    ...record,
    metadata: now.metadata,
  }));
}

/** As a backup or a repository has it: without what the API server adds. */
function copyOf({ metadata, data }: Awaited<ReturnType<typeof recordOf>>): ConfigMap & {
  readonly metadata: { readonly name: string; readonly namespace: string };
} {
  const { name, labels = {} } = metadata;
  return { metadata: { name, namespace: cluster.namespace, labels }, data: data ?? {} };
}

function label(database: FilledDatabase, value: "database" | null): Promise<unknown> {
  const body = { metadata: { labels: { [LABELS.record]: value } } };
  return kube.patch(ConfigMaps, recordRef(cluster, database.uid), { type: "merge", body });
}
