import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { AWAITS_SLOTS_ANNOTATION } from "../../src/core/api/names.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { callEngine, connectEngine } from "../../src/ports/resp/engine-client.ts";
import { startLedger } from "../kit/load/load-ledger.ts";
import { restoring, type RestoreScene } from "../object-store/restoring.ts";
import { PATIENCE, startStorectlWorld, type StorectlWorld } from "../kit/world/storectl-world.ts";
import { skipWithoutObjectStore } from "../object-store/assets.ts";
import { startObjectStore } from "../object-store/server.ts";

// Databases with the data of a backup and other shards than it has: they serve with those of the backup, and are changed then.

const NAMESPACE = "default";
const KEYS = 300;
const skip = skipWithoutObjectStore();

test("restores into other shards", { skip }, async (t) => {
  await using world = await startStorectlWorld(latestRelease());
  await using server = await startObjectStore();
  const scene = restoring(world, server);
  await scene.filled("orders", KEYS);
  const saved = await written(scene, "orders");
  await scene.saved("orders", "one");

  await t.test("what the licence lacks for the higher of both numbers is said beforehand", async () => {
    const typed = ["restore", "one", "--into", "copy", "--dry-run", "--shards", "2"];
    const { code, stdout } = await world.storectl(...typed);
    assert.match(
      stdout,
      /needs 4 shards \(2 primaries and 2 replicas\), and the licence allows 4 of which 2 are in use/,
    );
    assert.notEqual(code, 0);
  });

  await t.test("one shard becomes two, while clients read and write", async () => {
    await scene.ask("one-two", {
      databaseName: "copy",
      backupName: "one",
      database: { shardCount: 2, replication: false },
    });
    await changes(world, scene, { into: "copy", shards: 2, saved });
    const { status } = await scene.stands(
      "one-two",
      "Completed",
      /and its one shard becomes 2 now: kubectl get redb copy -w/,
    );
    assert.deepEqual([status?.database?.shardCount, status?.database?.firstShardCount], [2, 1]);
  });

  await t.test("four shards become three, and storectl shows both numbers before", async () => {
    await Promise.all(["orders", "copy"].map((name) => scene.remove(name)));
    const spec = { storeVersion: "7.2", shardCount: 4 } as const;
    await world.kube.create(Databases, { metadata: refOf("wide"), spec });
    await hasShards(world, "wide", 4);
    await scene.filled("wide", KEYS);
    const wide = await written(scene, "wide");
    await scene.saved("wide", "four");
    await scene.remove("wide");
    const typed = ["restore", "four", "--into", "narrow", "--shards", "3"];
    const { code, stdout, stderr } = await world.storectl(...typed, "--dry-run");
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /and its 4 shards become 3 once it serves\n(?:.*\n)*SHARDS +4\nTHEN +3\n/);
    const restore = world.storectl(...typed);
    await changes(world, scene, { into: "narrow", shards: 3, saved: wide });
    const ended = await restore;
    assert.equal(ended.code, 0, ended.stdout + ended.stderr);
    assert.match(ended.stdout, /Completed: .*and its 4 shards become 3 now/);
  });

  await t.test("the slots in which it got its data count for nothing once it is there", async () => {
    const annotations = { [AWAITS_SLOTS_ANNOTATION]: "none" };
    await world.kube.patch(Databases, refOf("narrow"), { type: "merge", body: { metadata: { annotations } } });
    await hasShards(world, "narrow", 3);
  });
});

/** What each key holds, and when it ends. */
type Written = ReadonlyMap<string, string>;

/** Keys of each type beside those that are there; what all of them hold. */
async function written(scene: RestoreScene, database: string): Promise<Written> {
  const client = await connectEngine(await scene.placeOf(database));
  await client.call("HSET", "a hash", "field", "value", "other", "value");
  await client.call("RPUSH", "a list", "one", "two");
  await client.call("ZADD", "a sorted set", "1", "one", "2.5", "two");
  await client.call("SADD", "a set", "1", "2");
  await client.call("SET", "ends", "value", "EX", "3600");
  client.close();
  return heldBy(scene, database);
}

async function heldBy(scene: RestoreScene, database: string): Promise<Written> {
  const client = await connectEngine(await scene.placeOf(database));
  const reply = await client.call("KEYS", "*");
  const keys = (Array.isArray(reply) ? reply : []).map(String).filter((key) => !/^(?:text|counter):/.test(key));
  const held = keys.toSorted().map(async (key) => {
    const [value, ends] = await Promise.all([client.call("DUMP", key), client.call("PEXPIRETIME", key)]);
    return [key, `${JSON.stringify(value)} ${String(ends)}`] as const;
  });
  const all = new Map(await Promise.all(held));
  client.close();
  return all;
}

/** From the moment at which it serves until it has other shards no request fails, and each key holds what was saved. */
async function changes(
  world: StorectlWorld,
  scene: RestoreScene,
  { into, shards, saved }: { readonly into: string; readonly shards: number; readonly saved: Written },
): Promise<void> {
  const place = await scene.placeOf(into);
  // all shards, by whichever node the Service leads to
  const serves = async (): Promise<boolean> => {
    for (let asked = 0; asked < 30; asked++) await callEngine(place, "DBSIZE");
    return true;
  };
  await until("it serves", () => serves().catch(() => false), PATIENCE);
  await using ledger = await startLedger({ ...place, connections: 4, pauseMs: 5 });
  await hasShards(world, into, shards);
  const { requests, failed, lost, complaints } = await ledger.stop();
  assert.ok(requests > 0);
  assert.deepEqual({ failed, lost }, { failed: 0, lost: 0 }, complaints.join("\n"));
  assert.deepEqual(await heldBy(scene, into), saved);
}

/** It serves with so many shards, and nothing of it is changed any more. */
async function hasShards({ kube }: StorectlWorld, name: string, shards: number): Promise<void> {
  let last: unknown;
  const is = async (): Promise<boolean> => {
    const { status } = (await kube.get(Databases, refOf(name))) ?? {};
    last = status;
    return status?.status === "active" && status.shards?.length === shards;
  };
  await until(`${name} has ${shards} shards`, is, PATIENCE).catch((error: unknown) => {
    throw new Error(JSON.stringify(last), { cause: error });
  });
}

function refOf(name: string) {
  return { name, namespace: NAMESPACE };
}
