import assert from "node:assert/strict";
import { test } from "node:test";
import type { BdbRecord } from "../../src/ports/management/records.ts";
import { callEngine } from "../../src/ports/resp/engine-client.ts";
import type { Reply } from "../../src/ports/resp/reply.ts";
import { startTestCluster, type TestCluster } from "../kit/world/cluster.ts";
import { enginesWithoutPackages, noPackagedModule, searchArchive } from "../kit/modules/packaged-module.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";

test("a search module that a distribution packages", { skip: noPackagedModule() ?? false }, async () => {
  await using engines = await enginesWithoutPackages();
  process.env["STORE_ENGINES_DIR"] = engines.path;
  await using cluster = await startTestCluster({ nodes: 3 });
  await steps(cluster, {
    "it is uploaded for two database versions, and a database indexes and finds with it": indexAndFind,
    "its index is there after the upgrade of the database, and grows": upgradeAndFind,
  });
});

async function indexAndFind(cluster: TestCluster): Promise<void> {
  for (const compatible of ["7.2", "8.0"]) await upload(cluster, searchArchive(compatible));
  await cluster.create({
    name: "books",
    memory_size: 50_000_000,
    replication: true,
    redis_version: "7.2",
    module_list: [{ module_name: "ft" }],
  });
  assert.equal(await ask(cluster, "FT.CREATE", "library", "SCHEMA", "title", "TEXT"), "OK");
  assert.equal(
    await ask(cluster, "FT.ADD", "library", "book:1", "1.0", "FIELDS", "title", "the art of moving house"),
    "OK",
  );
  assert.deepEqual(await found(cluster, "moving"), 1);
}

async function upgradeAndFind(cluster: TestCluster): Promise<void> {
  const { uid } = await database(cluster);
  await cluster.client.call("upgradeBdb", { params: { uid }, body: { store_version: "8.0" } });
  await until(
    "the database is at 8.0",
    async () => {
      const { status, redis_version } = await database(cluster);
      return status === "active" && redis_version === "8.0";
    },
    { withinMs: 60_000, everyMs: 100 },
  );
  assert.deepEqual(await found(cluster, "moving"), 1);
  assert.equal(await ask(cluster, "FT.ADD", "library", "book:2", "1.0", "FIELDS", "title", "moving on"), "OK");
  assert.deepEqual(await found(cluster, "moving"), 2);
}

async function upload(cluster: TestCluster, archive: Buffer<ArrayBuffer>): Promise<void> {
  const { action_uid: uid } = await cluster.client.call("uploadModule", { body: { module: new Blob([archive]) } });
  await until(
    "every node has the module",
    async () => (await cluster.client.call("action", { params: { uid } })).status === "completed",
    { withinMs: 30_000, everyMs: 50 },
  );
}

async function database(cluster: TestCluster): Promise<BdbRecord> {
  const [bdb] = await cluster.client.call("bdbs");
  assert.ok(bdb);
  return bdb;
}

async function ask(cluster: TestCluster, ...command: readonly [string, ...string[]]): Promise<Reply> {
  const { endpoints, port } = await database(cluster);
  return callEngine({ host: endpoints[0]?.addr[0] ?? "", port, password: "", timeoutMs: 5_000 }, ...command);
}

async function found(cluster: TestCluster, word: string): Promise<Reply | undefined> {
  const reply = await ask(cluster, "FT.SEARCH", "library", word);
  return Array.isArray(reply) ? reply[0] : reply;
}
