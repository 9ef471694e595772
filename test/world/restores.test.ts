import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { Secrets, Services } from "#kit/kube/builtin";
import type { Stored } from "#kit/kube/kube";
import { until } from "#kit/testing/until";
import type { BackupSpec } from "../../src/core/api/backup-spec.ts";
import type { StoreEnterpriseRestore } from "../../src/core/api/kinds.ts";
import { RESTORES_FROM_ANNOTATION } from "../../src/core/api/names.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { Backups, Databases, Restores } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { callEngine } from "../../src/ports/resp/engine-client.ts";
import { PATIENCE, startStorectlWorld, type StorectlWorld } from "../kit/world/storectl-world.ts";
import { skipWithoutObjectStore } from "../object-store/assets.ts";
import { startObjectStore, type TestObjectStore } from "../object-store/server.ts";

// Databases that objects ask for with the data of a backup: what they hold, and what keeps one from being made or from beginning.

const NAMESPACE = "default";
const KEYS = 50;
const skip = skipWithoutObjectStore();

test("objects that ask for restores", { skip }, async (t) => {
  await using world = await startStorectlWorld(latestRelease());
  await using server = await startObjectStore();
  const scene = restoring(world, server);
  await scene.saved();

  await t.test("storectl shows what would be made, and makes nothing", async () => {
    const { code, stdout, stderr } = await world.storectl("restore", "first", "--into", "copy", "--dry-run");
    assert.equal(code, 0, stdout + stderr);
    assert.match(
      stdout,
      /^Planned: nothing is made.*\n(?:.*\n)*OF +orders at .*\n.*50 keys\nINTO +copy\nVERSION +7\.2\n/m,
    );
    assert.equal(await world.kube.get(Databases, { name: "copy", namespace: NAMESPACE }), undefined);
    assert.deepEqual((await world.kube.list(Restores, { namespace: NAMESPACE })).items, []);
  });

  await t.test("storectl makes a database with the data of a backup, and waits until it serves", async () => {
    const { code, stdout, stderr } = await world.storectl("restore", "first", "--into", "copy", "--name", "again");
    assert.equal(code, 0, stdout + stderr);
    const { status } = await scene.stands("again", "Completed");
    assert.deepEqual(
      [status?.source?.keys, status?.attempts, status?.conditions?.map(({ type, status }) => `${type} ${status}`)],
      [KEYS, 1, ["Complete True", "Ready True", "Reconciling False", "Stalled False"]],
    );
    assert.equal(await scene.keys("copy"), KEYS);
  });

  await t.test("a database that is there is refused, and stays as it is", async () => {
    await scene.ask("over", { databaseName: "orders" });
    await scene.stands("over", "Failed", /^DatabaseExists: /);
    const { code, stderr } = await world.storectl("restore", "first", "--into", "copy");
    assert.deepEqual(
      [code === 0, /CLI_RESTORE_EXISTS|has a StoreEnterpriseDatabase "copy"/.test(stderr)],
      [false, true],
    );
    assert.equal(await scene.keys("orders"), KEYS);
    await scene.remove("copy");
  });

  await refusals(t, world, scene);
  await damages(t, world, { ...scene, server });
});

type Scene = ReturnType<typeof restoring>;

async function refusals(t: TestContext, { kube }: StorectlWorld, { ask, stands, location }: Scene): Promise<void> {
  await t.test("what cannot be meant is refused with its field", async () => {
    await ask("none", { backupName: undefined });
    await stands("none", "Failed", /^SpecInvalid: spec\.backupName, spec\.location: exactly one/);
  });

  await t.test("a backup that is not there is waited for, and one of another place is read", async () => {
    await ask("early", { backupName: "later" }, { activeDeadlineSeconds: 60 });
    await stands("early", "Pending", /^BackupNotFound: .*"later"/);
    const { status } = (await kube.get(Backups, { name: "first", namespace: NAMESPACE })) ?? {};
    const dryRun = { dryRun: true, backupName: undefined };
    await ask("place", { ...dryRun, location: location(status?.path ?? "") });
    await stands("place", "Planned");
    await ask("nowhere", { ...dryRun, location: location("team/default/orders/none") });
    await stands("nowhere", "Failed", /^BackupNotThere: /);
  });

  await t.test("what the database cannot be is said with the field, and nothing is made", async () => {
    await ask("small", { databaseName: "small", database: { shardCount: 3 } });
    await stands("small", "Failed", /^DatabaseUnfit: spec\.database\.shardCount: it is 3/);
    assert.equal(await kube.get(Databases, { name: "small", namespace: NAMESPACE }), undefined);
  });
}

async function damages(
  t: TestContext,
  { kube }: StorectlWorld,
  { ask, stands, keys, remove, location, server }: Scene & { readonly server: TestObjectStore },
): Promise<void> {
  const fileAt = (end: string): string => join(server.folder, server.keys().find((key) => key.endsWith(end)) ?? "");

  await t.test("a backup of another namespace is refused until the owner of the Secret allows it", async () => {
    const path = fileAt("manifest.json");
    const manifest: { readonly database: object } = JSON.parse(readFileSync(path, "utf8"));
    const foreign = { ...manifest, database: { ...manifest.database, namespace: "team-b" } };
    const whole = readFileSync(path);
    writeFileSync(path, JSON.stringify(foreign));
    await ask("foreign", { databaseName: "foreign" });
    await stands("foreign", "Pending", /^BackupOfAnotherNamespace: .*kubectl annotate secret keys/);
    assert.equal(await kube.get(Databases, { name: "foreign", namespace: NAMESPACE }), undefined);
    const body = { metadata: { annotations: { [RESTORES_FROM_ANNOTATION]: "team-b" } } };
    await kube.patch(Secrets, { name: "keys", namespace: NAMESPACE }, { type: "merge", body });
    await stands("foreign", "Completed");
    assert.equal(await keys("foreign"), KEYS);
    await remove("foreign");
    writeFileSync(path, whole);
  });

  await t.test(
    "one whose file is damaged leaves the database without an engine, and another restore fills it",
    async () => {
      const path = fileAt("shard-1.rdb");
      const whole = readFileSync(path);
      writeFileSync(path, whole.subarray(0, 40));
      await ask("damaged", { databaseName: "waits" });
      await stands("damaged", "Failed", /^BackupDamaged: .* has 40 of the/);
      const { status } = (await kube.get(Databases, { name: "waits", namespace: NAMESPACE })) ?? {};
      assert.equal(status?.status, "recovery");
      await kube.delete(Restores, { name: "damaged", namespace: NAMESPACE });
      writeFileSync(path, whole);
      await ask("mended", { databaseName: "waits", bytesPerSecond: 1_000_000 });
      await stands("mended", "Completed");
      assert.equal(await keys("waits"), KEYS);
      await ask("late", { databaseName: "waits" });
      await stands("late", "Failed", /^DatabaseHasData: /);
    },
  );

  await t.test("what no store answers is said, and no database is made", async () => {
    const s3 = { ...location("a/b").s3, bucketName: "none" };
    await ask("away", { databaseName: "away", backupName: undefined, location: { path: "a/b", s3 } });
    await stands("away", "Pending", /^ObjectStoreBucket: /);
    assert.equal(await kube.get(Databases, { name: "away", namespace: NAMESPACE }), undefined);
  });
}

function restoring({ kube }: StorectlWorld, { access }: TestObjectStore) {
  const refOf = (name: string) => ({ name, namespace: NAMESPACE });
  const bucket = { bucketName: access.bucket, awsSecretName: "keys", regionName: access.region };
  const s3 = { ...bucket, endpoint: access.endpoint ?? "", pathStyle: true };
  const login = async (database: string) => {
    const secret = await kube.get(Secrets, refOf(`redb-${database}`));
    const { clusterIP: host = "", ports } = (await kube.get(Services, refOf(database)))?.spec ?? {};
    const password = Buffer.from(secret?.data?.["password"] ?? "", "base64").toString();
    return { host, port: ports?.[0]?.port ?? 0, password, timeoutMs: 5_000 };
  };
  const isThere = (database: string) =>
    until("the Service has an address", async () => (await login(database)).host !== "", PATIENCE);
  return {
    location: (path: string) => ({ path, s3 }),
    /** The licence of the world allows few shards. */
    async remove(database: string): Promise<void> {
      await kube.delete(Databases, refOf(database));
      const isGone = async () => (await kube.get(Databases, refOf(database))) === undefined;
      await until("it is gone", isGone, PATIENCE);
    },
    saved: () => saveOrders(kube, { access, s3, isThere, login }),
    ask: (
      name: string,
      change: Partial<StoreEnterpriseRestore["spec"]>,
      more: Partial<StoreEnterpriseRestore["spec"]> = {},
    ) =>
      kube.create(Restores, {
        metadata: refOf(name),
        spec: { databaseName: "other", backupName: "first", ...change, ...more },
      }),
    /** Waits until it has that phase, and its condition says that. */
    async stands(name: string, phase: string, says = /^/): Promise<Stored<StoreEnterpriseRestore>> {
      let found: Stored<StoreEnterpriseRestore> | undefined;
      const isSo = async (): Promise<boolean> => {
        found = await kube.get(Restores, refOf(name));
        const { reason = "", message = "" } = found?.status?.conditions?.find(({ type }) => type === "Complete") ?? {};
        return found?.status?.phase === phase && says.test(`${reason}: ${message}`);
      };
      const state = () => JSON.stringify(found?.status);
      await until(`${name} is ${phase} ${says.source}`, isSo, { ...PATIENCE, withinMs: 40_000 }).catch(
        (error: unknown) => {
          throw new Error(`${name}: ${state()}`, { cause: error });
        },
      );
      assert.ok(found);
      return found;
    },
    async keys(database: string): Promise<number> {
      await isThere(database);
      return Number(await callEngine(await login(database), "DBSIZE"));
    },
  };
}

/** The database "orders" has keys, and the backup "first". */
async function saveOrders(
  kube: StorectlWorld["kube"],
  {
    access,
    s3,
    isThere,
    login,
  }: {
    readonly access: TestObjectStore["access"];
    readonly s3: BackupSpec["s3"];
    readonly isThere: (database: string) => Promise<void>;
    readonly login: (database: string) => Promise<Parameters<typeof callEngine>[0]>;
  },
): Promise<void> {
  const refOf = (name: string) => ({ name, namespace: NAMESPACE });
  await isThere("orders");
  const place = await login("orders");
  for (let key = 0; key < KEYS; key++) await callEngine(place, "SET", `key ${key}`, "value");
  const stringData = { AWS_ACCESS_KEY_ID: access.accessKeyId, AWS_SECRET_ACCESS_KEY: access.secretAccessKey };
  await kube.create(Secrets, { metadata: refOf("keys"), stringData });
  const spec = { databaseName: "orders", s3: { ...s3, subdir: "team" }, verify: false };
  await kube.create(Backups, { metadata: refOf("first"), spec });
  const isSaved = async () => (await kube.get(Backups, refOf("first")))?.status?.phase === "Completed";
  await until("it is saved", isSaved, PATIENCE);
}
