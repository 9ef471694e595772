import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { BdbRecord } from "../../src/ports/management/records.ts";
import { callEngine } from "../../src/ports/resp/engine-client.ts";
import type { Reply } from "../../src/ports/resp/reply.ts";
import { startTestCluster, type TestCluster } from "../kit/world/cluster.ts";
import { noPackagedModule, searchArchive } from "../kit/modules/packaged-module.ts";
import { until } from "../kit/time/until.ts";

describe("a search module that a distribution packages", { skip: noPackagedModule() ?? false }, () => {
  let cluster: TestCluster;
  before(async () => {
    cluster = await startTestCluster({ nodes: 3 });
  });
  after(() => cluster[Symbol.asyncDispose]());

  test("is uploaded for two database versions, and a database indexes and finds with it", async () => {
    for (const compatible of ["7.2", "8.0"]) await upload(await searchArchive(compatible));
    await cluster.create({
      name: "books",
      memory_size: 50_000_000,
      replication: true,
      redis_version: "7.2",
      module_list: [{ module_name: "ft" }],
    });
    assert.equal(await ask("FT.CREATE", "library", "SCHEMA", "title", "TEXT"), "OK");
    assert.equal(await ask("FT.ADD", "library", "book:1", "1.0", "FIELDS", "title", "the art of moving house"), "OK");
    assert.deepEqual(await found("moving"), 1);
  });

  test("its index is there after the upgrade of the database, and grows", async () => {
    const { uid } = await database();
    await cluster.client.call("upgradeBdb", { params: { uid }, body: { store_version: "8.0" } });
    await until(
      "the database is at 8.0",
      async () => {
        const { status, redis_version } = await database();
        return status === "active" && redis_version === "8.0";
      },
      { withinMs: 60_000, everyMs: 100 },
    );
    assert.deepEqual(await found("moving"), 1);
    assert.equal(await ask("FT.ADD", "library", "book:2", "1.0", "FIELDS", "title", "moving on"), "OK");
    assert.deepEqual(await found("moving"), 2);
  });

  async function upload(archive: Buffer<ArrayBuffer>): Promise<void> {
    const { action_uid: uid } = await cluster.client.call("uploadModule", { body: { module: archive } });
    await until(
      "every node has the module",
      async () => (await cluster.client.call("action", { params: { uid } })).status === "completed",
      { withinMs: 30_000, everyMs: 50 },
    );
  }

  async function database(): Promise<BdbRecord> {
    const [bdb] = await cluster.client.call("bdbs");
    assert.ok(bdb);
    return bdb;
  }

  async function ask(...command: readonly [string, ...string[]]): Promise<Reply> {
    const { endpoints, port } = await database();
    return callEngine({ host: endpoints[0]?.addr[0] ?? "", port, password: "", timeoutMs: 5_000 }, ...command);
  }

  async function found(word: string): Promise<Reply | undefined> {
    const reply = await ask("FT.SEARCH", "library", word);
    return Array.isArray(reply) ? reply[0] : reply;
  }
});
