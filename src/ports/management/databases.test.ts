import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "#kit/base/fault";
import type { ManagementClient } from "./client.ts";
import { readDatabases } from "./databases.ts";
import { faults } from "./faults.ts";

/** What a node of release 0.1.0 answers, as far as it matters here. */
const old = (uid: number, role: string, status: string) => ({
  uid,
  node_uid: uid,
  role,
  status,
  port: 20_000 + uid,
  redis_version: "8.2",
  engine: "redis 8.2.2",
  offset: 10,
  lag_bytes: 0,
  in_sync: status === "active",
});

const shapes = [
  ["primary", "active", "master", "active", "ok", "idle"],
  ["replica", "active", "slave", "active", "ok", "idle"],
  ["replica", "syncing", "slave", "active", "ok", "link_down"],
  ["primary", "starting", "master", "inactive", "loading", "idle"],
  ["primary", "down", "master", "inactive", "down", "idle"],
] as const;

for (const [role, status, nowRole, nowStatus, detailed, sync] of shapes) {
  test(`a node of release 0.1.0: a ${role} that is ${status} is read as ${nowRole}, ${nowStatus}, ${detailed}`, async () => {
    const { shards } = await readDatabases(nodes([{ bdbs: [{ uid: 2, shard_list: [old(1, role, status)] }] }]));
    const [shard] = shards;
    assert.deepEqual([shard?.uid, shard?.bdb_uid, shard?.node_uid, shard?.port], ["2", 2, "1", 20_001]);
    assert.deepEqual(
      [shard?.role, shard?.status, shard?.detailed_status, shard?.sync.status],
      [nowRole, nowStatus, detailed, sync],
    );
  });
}

test("a cluster without databases is not asked for shards", async () => {
  assert.deepEqual(await readDatabases(nodes([{ bdbs: [] }])), { bdbs: [], shards: [] });
});

test("when an older node answers the second question, databases are read again", async () => {
  const inside = [{ uid: 1, shard_list: [old(1, "primary", "active")] }];
  const answers = [{ bdbs: [{ uid: 1, shard_list: [1] }] }, { bdbs: inside }];
  assert.equal((await readDatabases(nodes(answers))).shards.length, 1);
});

test("nodes that never answer both questions are an error, not a cluster without shards", async () => {
  const answers = Array.from({ length: 3 }, () => ({ bdbs: [{ uid: 1, shard_list: [1] }] }));
  await assert.rejects(readDatabases(nodes(answers)), /no operation/);
});

/** Answers the questions for databases one after the other; shards are no operation of an older node. */
function nodes(answers: readonly { readonly bdbs: unknown }[]): Pick<ManagementClient, "call"> {
  let asked = 0;
  return {
    call: async (route: string): Promise<never> => {
      if (route !== "bdbs") throw new Fault(faults.notFound, `GET /v1/${route} is no operation`, {});
      return answers[asked++]?.bdbs as never;
    },
  };
}
