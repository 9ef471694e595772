import assert from "node:assert/strict";
import { test } from "node:test";
import { PersistentVolumeClaims, Pods, Secrets } from "#kit/kube/builtin";
import { until } from "#kit/testing/until";
import type { DatabaseStatus } from "../../src/core/api/database-status.ts";
import { LABELS } from "../../src/core/api/names.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { Backups, Databases, Restores } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { skipWithoutObjectStore } from "../object-store/assets.ts";
import { startObjectStore, type TestObjectStore } from "../object-store/server.ts";
import { steps } from "../kit/scenario/step.ts";
import { askDatabase } from "../kit/world/ask.ts";
import { PATIENCE, startStorectlWorld, type StorectlWorld } from "../kit/world/storectl-world.ts";

// All nodes of a cluster are lost with their volumes. What is left: the objects of the namespace, and the bucket with the backups.

const LEDGER = { name: "ledger", namespace: "default" };
const KEYS = 200;
const INTO = ["restore", "nightly", "--into", "ledger"] as const;
const skip = skipWithoutObjectStore();

test(
  "a cluster whose nodes and volumes are all gone has its database back from a backup, with its address and password",
  { skip },
  async (t) => {
    await using world = await startStorectlWorld(latestRelease());
    await using server = await startObjectStore();
    const before = { endpoints: "", password: "" };
    let lostAt = 0;
    await steps(world, {
      "a database of two shards has data": async () => {
        await fill(world);
        Object.assign(before, await seenByClients(world));
      },
      "it is saved, and written to after that": () => save(world, server),
      "all pods and volumes are deleted: it waits in recovery, and names the way back": async () => {
        lostAt = performance.now();
        await lose(world);
      },
      "nothing is overwritten that was not asked for": () => assertRefused(world),
      "it is back as the backup has it": async () => {
        await restore(world);
        t.diagnostic(`from the loss to the data: ${((performance.now() - lostAt) / 1_000).toFixed(0)} s`);
        assert.deepEqual(await seenByClients(world), before);
      },
      "a database with data is never overwritten": () => assertKept(world),
    });
  },
);

async function fill(world: StorectlWorld): Promise<void> {
  const spec = { storeVersion: "7.2", persistence: "aofAlways", shardCount: 2, memorySize: "200MB" } as const;
  await world.kube.create(Databases, { metadata: LEDGER, spec });
  await serves(world);
  await until(
    "it is written",
    async () => (await ask(world, "SET", "key:0", "value").catch(String)) === "OK",
    PATIENCE,
  );
  for (let key = 1; key < KEYS; key++) await ask(world, "SET", `key:${key}`, "value");
}

async function save(world: StorectlWorld, { access }: TestObjectStore): Promise<void> {
  const { kube } = world;
  const stringData = { AWS_ACCESS_KEY_ID: access.accessKeyId, AWS_SECRET_ACCESS_KEY: access.secretAccessKey };
  await kube.create(Secrets, { metadata: { ...LEDGER, name: "keys" }, stringData });
  const bucket = { bucketName: access.bucket, awsSecretName: "keys", regionName: access.region };
  const s3 = { ...bucket, endpoint: access.endpoint ?? "", pathStyle: true };
  await kube.create(Backups, { metadata: { ...LEDGER, name: "nightly" }, spec: { databaseName: "ledger", s3 } });
  const isProved = async (): Promise<boolean> => {
    const { conditions = [] } = (await kube.get(Backups, { ...LEDGER, name: "nightly" }))?.status ?? {};
    return conditions.some(({ type, status }) => type === "Restorable" && status === "True");
  };
  await until("the backup is proved", isProved, { ...PATIENCE, withinMs: 120_000 });
  await ask(world, "SET", "later", "than the backup");
}

async function lose(world: StorectlWorld): Promise<void> {
  const { kube } = world;
  const { items: claims } = await kube.list(PersistentVolumeClaims, { namespace: "default" });
  for (const { metadata } of claims) await kube.delete(PersistentVolumeClaims, { ...LEDGER, name: metadata.name });
  const { items: pods } = await kube.list(Pods, { labelSelector: `${LABELS.cluster}=rec,${LABELS.role}=node` });
  const now = { gracePeriodSeconds: 0 };
  await Promise.all(pods.map(({ metadata }) => kube.delete(Pods, { ...LEDGER, name: metadata.name }, now)));
  const found = async () => (await database(world)).findings?.find(({ id }) => id === "DatabaseUnavailable");
  const asks = async (): Promise<boolean> => (await found())?.evidence.includes("is gone with its volume") === true;
  await until("the database asks what is to become of it", asks, { ...PATIENCE, withinMs: 180_000 });
  assert.match((await found())?.remedy ?? "", /storectl restore nightly --into ledger --replace-lost-data; or /);
}

async function assertRefused(world: StorectlWorld): Promise<void> {
  const { code, stderr } = await world.storectl(...INTO);
  assert.notEqual(code, 0);
  assert.match(stderr, /has a StoreEnterpriseDatabase "ledger"/);
  const { code: wrong, stderr: both } = await world.storectl(...INTO, "--replace-lost-data", "--shards", "3");
  assert.notEqual(wrong, 0);
  assert.match(both, /--replace-lost-data.*cannot be used with option.*--shards/);
}

async function restore(world: StorectlWorld): Promise<void> {
  const { code, stdout, stderr } = await world.storectl(...INTO, "--replace-lost-data");
  assert.equal(code, 0, stdout + stderr);
  await serves(world);
  // an endpoint that had no primary for long looks for it from time to time, and answers LOADING until then
  let last = "";
  const answer = () => ask(world, "DBSIZE").catch((error: unknown) => String(error));
  const isServed = async (): Promise<boolean> => !(last = String(await answer())).includes("LOADING");
  await until("clients are served", isServed, PATIENCE).catch(async (cause: unknown) => {
    throw new Error(`${last}, of ${JSON.stringify(await database(world))}`, { cause });
  });
  assert.equal(await answer(), KEYS);
  assert.equal(await ask(world, "GET", "later"), null);
  assert.equal(await ask(world, "SET", "after", "it"), "OK");
}

async function assertKept(world: StorectlWorld): Promise<void> {
  const { code, stdout, stderr } = await world.storectl(...INTO, "--replace-lost-data");
  assert.notEqual(code, 0, stdout + stderr);
  assert.match(stdout + stderr, /serves with data of its own/);
  assert.equal(await ask(world, "GET", "after"), "it");
  const { items } = await world.kube.list(Restores, { namespace: "default" });
  assert.deepEqual(
    items.map(({ spec }) => spec.replaceLostData),
    [true, true],
  );
}

async function seenByClients(world: StorectlWorld): Promise<{ readonly endpoints: string; readonly password: string }> {
  const secret = await world.kube.get(Secrets, { ...LEDGER, name: "redb-ledger" });
  const { internalEndpoints } = await database(world);
  return { endpoints: JSON.stringify(internalEndpoints), password: secret?.data?.["password"] ?? "" };
}

async function serves(world: StorectlWorld): Promise<void> {
  await until("it is active", async () => (await database(world)).status === "active", PATIENCE);
}

async function database({ kube }: StorectlWorld): Promise<DatabaseStatus> {
  return (await kube.get(Databases, LEDGER))?.status ?? {};
}

function ask({ kube }: StorectlWorld, ...command: readonly [string, ...string[]]): Promise<unknown> {
  return askDatabase(kube, LEDGER, ...command);
}
