import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { Secrets } from "#kit/kube/builtin";
import { RESTORES_FROM_ANNOTATION } from "../../src/core/api/names.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { Backups, Databases, Restores } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { restoring, type RestoreScene } from "../object-store/restoring.ts";
import { startStorectlWorld, type StorectlWorld } from "../kit/world/storectl-world.ts";
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
  await scene.filled("orders", KEYS);
  await scene.saved("orders", "first");

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

async function refusals(
  t: TestContext,
  { kube }: StorectlWorld,
  { ask, stands, location }: RestoreScene,
): Promise<void> {
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
    await ask("small", { databaseName: "small", database: { shardCount: 8, memorySize: "100MB" } });
    await stands("small", "Failed", /^DatabaseUnfit: spec\.database\.memorySize: 8 shards need at least 160 MB/);
    assert.equal(await kube.get(Databases, { name: "small", namespace: NAMESPACE }), undefined);
  });
}

async function damages(
  t: TestContext,
  { kube }: StorectlWorld,
  { ask, stands, keys, remove, location, server }: RestoreScene & { readonly server: TestObjectStore },
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
    const s3 = { ...location("a/b").s3, endpoint: server.access.endpoint ?? "", bucketName: "none" };
    await ask("away", { databaseName: "away", backupName: undefined, location: { path: "a/b", s3 } });
    await stands("away", "Pending", /^ObjectStoreBucket: /);
    assert.equal(await kube.get(Databases, { name: "away", namespace: NAMESPACE }), undefined);
  });
}
