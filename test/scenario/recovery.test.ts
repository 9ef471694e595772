import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { NODE_PATHS } from "../../src/core/api/names.ts";
import { isFault } from "#kit/base/fault";
import type { BdbRecord } from "../../src/ports/management/records.ts";
import { callEngine, type EngineOptions } from "../../src/ports/resp/engine-client.ts";
import { faults } from "../../src/ports/resp/faults.ts";
import { listOf, textOf } from "../../src/ports/resp/reply.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { enginesOf } from "../kit/world/engine-access.ts";
import { KEYS, filledDatabase, type FilledDatabase } from "../kit/world/filled-database.ts";
import { nodeOf, primaryOf } from "../kit/world/shards.ts";
import { until } from "#kit/testing/until";

// Nodes that are lost, with their volumes or without: what comes back unasked, and what waits for consent.

const PATIENCE = { withinMs: 30_000, everyMs: 10 };
const NODES = [1, 2, 3];

await using cluster = await startTestCluster();

await test("every engine is lost at once: a persistent database is in recovery until it serves all that was acknowledged", async () => {
  await using database = await filledDatabase(cluster, {
    name: "whole",
    replication: true,
    data_persistence: "aofAlways",
  });
  await Promise.all(NODES.map((node) => cluster.kill(node)));
  const started = Promise.all(NODES.map((node) => cluster.start(node)));
  await until("it is in recovery", async () => (await database.seen())?.status === "recovery", PATIENCE);
  await started;
  const back = await database.active();
  assert.equal(await database.keys(), KEYS);
  assert.deepEqual([back.loss_reports, back.recovery], [[], undefined]);
});

await test("a primary that has become a replica of nothing, and that no other one can replace, starts as primary from what it has", async () => {
  for (const data_persistence of ["aofAlways", "disabled"] as const) {
    await using database = await filledDatabase(cluster, { name: `demoted-${data_persistence}`, data_persistence });
    const [engine] = await enginesOf(cluster, database.uid);
    assert.ok(engine);
    await callEngine(engine, "REPLICAOF", "127.0.0.1", "1");
    const isPrimary = () => roleAt(engine).then((role) => role === "master");
    await until("it is primary again", isPrimary, PATIENCE);
    await database.active();
    assert.equal(await database.keys(), KEYS, data_persistence);
  }
});

await test("a database that kept its data on a volume that is lost waits, and starts empty only once a user agrees", async () => {
  await using database = await filledDatabase(cluster, { name: "ledger", data_persistence: "aofAlways" });
  const { uid } = database;
  await loseVolume(uid);
  const { waiting_for, recovery } = await lacking(database);
  assert.match(waiting_for, /the data of "ledger" on node \d is gone with its volume; no replica has another copy/);
  assert.deepEqual(recovery, { lacks: waiting_for, needs_consent: true });
  await assert.rejects(recover(uid, {}), /406 missing_data_files/);
  await recover(uid, { recover_without_data: true });
  const back = await database.active();
  assert.equal(await database.keys(), 0);
  assert.match(back.loss_reports.join(), /"ledger" starts empty: the volume of its primary is gone/);
  await assert.rejects(recover(uid, { recover_without_data: true }), /409 not_recoverable/);
});

await test("of a replicated database whose primary lost its volume the copy on the other disk is taken, once a user agrees", async () => {
  await using database = await filledDatabase(cluster, {
    name: "copied",
    replication: true,
    data_persistence: "aofAlways",
  });
  const { uid } = database;
  await loseVolume(uid);
  assert.match((await lacking(database)).waiting_for, /is gone with its volume; node \d has an older copy on its disk/);
  await recover(uid, { recover_without_data: true });
  const back = await database.active();
  assert.equal(await database.keys(), KEYS);
  assert.match(back.loss_reports.join(), /took over "copied"/);
});

await test("a database without persistence comes back empty unasked and says so, with its volume or without", async () => {
  await using database = await filledDatabase(cluster, { name: "cache" });
  const { uid } = database;
  await loseVolume(uid);
  const back = await database.active();
  assert.equal(await database.keys(), 0);
  assert.match(back.loss_reports.join(), /"cache" starts empty: without persistence/);
});

/** Every node is killed, and the one with the primary of the database comes back with nothing of the database on its disk. */
async function loseVolume(uid: number): Promise<void> {
  const node = nodeOf(primaryOf(await cluster.shards(uid)));
  await Promise.all(NODES.map((each) => cluster.kill(each)));
  await rm(join(cluster.root(node), NODE_PATHS.data, `db-${uid}`), { recursive: true });
  await Promise.all(NODES.map((each) => cluster.start(each)));
}

async function lacking(database: FilledDatabase): Promise<BdbRecord> {
  let found: BdbRecord | undefined;
  const asks = async (): Promise<boolean> => {
    found = await database.seen();
    // before its node is back, the newest copy may be there
    const isKnown = found?.waiting_for.includes("is gone with its volume") === true;
    return isKnown && found?.recovery?.needs_consent === true && found.waiting_for === found.recovery.lacks;
  };
  await until("it says what is gone", asks, PATIENCE);
  assert.ok(found !== undefined);
  return found;
}

function recover(uid: number, body: { readonly recover_without_data?: boolean }): Promise<BdbRecord> {
  return cluster.client.call("recoverBdb", { params: { uid }, body });
}

/** "none" while the engine does not answer. */
async function roleAt(engine: EngineOptions): Promise<string> {
  try {
    return textOf(listOf(await callEngine(engine, "ROLE"))[0] ?? null);
  } catch (error) {
    if (isFault(error, faults.connect) || isFault(error, faults.closed)) return "none";
    throw error;
  }
}
