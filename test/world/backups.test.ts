import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { Secrets, Services } from "#kit/kube/builtin";
import type { Stored } from "#kit/kube/kube";
import { until } from "#kit/testing/until";
import { BACKUP_SCHEDULE_LABEL, DATABASES_ANNOTATION } from "../../src/core/api/names.ts";
import type { BackupSpec } from "../../src/core/api/backup-spec.ts";
import type { StoreEnterpriseBackup } from "../../src/core/api/kinds.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { Backups, BackupSchedules } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { callEngine } from "../../src/ports/resp/engine-client.ts";
import { PATIENCE, startStorectlWorld, type StorectlWorld } from "../kit/world/storectl-world.ts";
import { skipWithoutObjectStore } from "../object-store/assets.ts";
import { startObjectStore, type TestObjectStore } from "../object-store/server.ts";

// Backups that objects ask for: what becomes of each, and what keeps one.

const NAMESPACE = "default";
const skip = skipWithoutObjectStore();

test("objects that ask for backups", { skip }, async (t) => {
  await using world = await startStorectlWorld(latestRelease());
  await using server = await startObjectStore();
  const { ask, stands, remove } = backupsIn(world, server);
  await writeKeys(world, 50);
  await world.kube.create(Secrets, secretOf(server, "keys"));

  await t.test("one is complete with its files, its keys and a manifest, and leaves the events", async () => {
    await ask("first");
    await stands("first", "Completed", /^Loaded: .* has loaded 1 files with 50 keys; 0 had expired/, "Restorable");
    const { status } = await stands("first", "Completed");
    assert.deepEqual(
      [status?.keys, status?.attempts, status?.conditions?.map(({ type, status }) => `${type} ${status}`)],
      [50, 1, ["Complete True", "Ready True", "Reconciling False", "Stalled False", "Restorable True"]],
    );
    assert.deepEqual([status?.verification?.keys, status?.verification?.attempts], [50, undefined]);
    assert.match(status?.verification?.engine ?? "", /^(?:redis|valkey) \d/);
    assert.ok((status?.readableFrom ?? []).length > 0);
    assert.match(status?.path ?? "", /^team\/default\/orders\/first-[0-9a-f]{8}\/$/);
    assert.ok(server.keys().includes(`${status?.path ?? ""}manifest.json`));
  });

  await t.test("an object that is made again asks for another one", async () => {
    const former = (await stands("first", "Completed")).status?.path;
    await remove("first");
    await writeKeys(world, 60);
    await ask("first");
    const { status } = await stands("first", "Completed");
    assert.equal(status?.keys, 60);
    assert.notEqual(status.path, former);
  });

  const { place } = backupsIn(world, server);
  await t.test("a schedule takes one when it is due", () => takeByScheduleOf(world, place));
  await t.test("what a schedule does not keep goes from the bucket too", () => removeByScheduleOf(world, server));
  await triedBackups(t, world, server);
  await askedBackups(t, world);
  await t.test("two at the same moment come one after the other", async () => {
    await Promise.all([ask("left"), ask("right")]);
    await Promise.all([stands("left", "Completed"), stands("right", "Completed")]);
  });

  await t.test("what keeps one is its condition, and it begins when that is gone", async () => {
    await ask("secret", { awsSecretName: "later" });
    await stands("secret", "Pending", /^SecretMissing: .*"later"/);
    const others = { ...secretOf(server, "later"), type: "Opaque" };
    await world.kube.create(Secrets, { ...others, stringData: { ...others.stringData, password: "w0rd" } });
    await stands("secret", "Pending", /^SecretNotGiven: /);
    const body = { metadata: { annotations: { [DATABASES_ANNOTATION]: "orders" } } };
    await world.kube.patch(Secrets, { name: "later", namespace: NAMESPACE }, { type: "merge", body });
    await stands("secret", "Completed");
  });

  await t.test("a bucket that is not there is said, and fails one at its deadline", async () => {
    await ask("bucket", { bucketName: "none" }, { activeDeadlineSeconds: 60 });
    await stands("bucket", "Pending", /^ObjectStoreBucket: /);
    await stands("bucket", "Failed", /^DeadlineExceeded: .*NoSuchBucket/);
  });
});

async function takeByScheduleOf({ kube, storectl }: StorectlWorld, s3: BackupSpec["s3"]): Promise<void> {
  const ref = { name: "minutely", namespace: NAMESPACE };
  await kube.create(BackupSchedules, { metadata: ref, spec: { databaseName: "orders", s3, schedule: "* * * * *" } });
  const status = async () => (await kube.get(BackupSchedules, ref))?.status;
  await until("one can be restored", async () => (await status())?.lastRestorable !== undefined, PATIENCE);
  await kube.patch(BackupSchedules, ref, { type: "merge", body: { spec: { suspend: true } } });
  const isSuspended = async () => (await status())?.conditions?.some(({ reason }) => reason === "Suspended") ?? false;
  await until("it is suspended", isSuspended, PATIENCE);
  const { lastRestorable: name = "", nextScheduleTime } = (await status()) ?? {};
  assert.match(name, /^minutely-\d{8}-\d{4}$/);
  assert.equal(nextScheduleTime, undefined);
  for (const name of ["orders", "minutely"]) {
    const { code, stdout } = await storectl("backup", "schedules", name);
    assert.match(stdout, /^minutely +orders +\* \* \* \* \* UTC +20\S+Z +20\S+Z +- +Suspended$/m);
    assert.equal(code, 0);
  }
  assert.match((await storectl("backup", "schedules", "other")).stdout, /no schedule "other".* minutely of orders$/m);
  assert.match((await storectl("status")).stdout, /^BACKUPS OF .*\norders +minutely-\S+ +20\S+Z +(?:fresh|stale)$/m);
}

async function removeByScheduleOf(world: StorectlWorld, server: TestObjectStore): Promise<void> {
  const { kube } = world;
  const { place, stands } = backupsIn(world, server);
  const ref = { name: "minutely", namespace: NAMESPACE };
  const refOf = (name: string) => ({ name, namespace: NAMESPACE });
  const { lastRestorable: older = "" } = (await kube.get(BackupSchedules, ref))?.status ?? {};
  const path = (await kube.get(Backups, refOf(older)))?.status?.path ?? "";
  assert.ok(server.keys().some((key) => key.startsWith(path)));
  const newest = "minutely-20260101-0000";
  const metadata = { ...refOf(newest), labels: { [BACKUP_SCHEDULE_LABEL]: ref.name } };
  await kube.create(Backups, { metadata, spec: { databaseName: "orders", s3: place } });
  await stands(newest, "Completed", /^Loaded: /, "Restorable");
  const others = server.keys().filter((key) => !key.startsWith(path));
  await kube.patch(BackupSchedules, ref, { type: "merge", body: { spec: { retention: { count: 1 } } } });
  await until("it is gone", async () => (await kube.get(Backups, refOf(older))) === undefined, PATIENCE);
  assert.deepEqual(server.keys(), others);
  const stays = await Promise.all([newest, "first"].map((name) => kube.get(Backups, refOf(name))));
  assert.deepEqual(
    stays.map((found) => found?.metadata.name),
    [newest, "first"],
  );
}

async function askedBackups(t: TestContext, { storectl, kube }: StorectlWorld): Promise<void> {
  const ran = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await storectl("backup", ...args);
    return { code, said: stdout + stderr };
  };

  await t.test("storectl takes one into the place of the last one, and waits until it was loaded", async () => {
    const { code, said } = await ran("now", "orders", "--name", "asked");
    assert.deepEqual([code, /Completed, restorable: .* has loaded 1 files/.test(said)], [0, true], said);
    const shown = await ran("show", "asked");
    assert.match(shown.said, /PATH +team\/default\/orders\/asked-[0-9a-f]{8}\/\n(?:.*\n)*RESTORABLE True, Loaded/);
  });

  await t.test("storectl lists them, and ends with 3 where one cannot be restored", async () => {
    const { code, said } = await ran("list", "orders");
    assert.match(said, /^asked +orders +Completed +restorable +60 /m);
    assert.match(said, /^damaged +orders +Completed +not restorable /m);
    assert.equal(code, 3);
    assert.equal((await ran("list", "other")).said, "no backups\n");
  });

  await t.test(
    "storectl lets one be loaded again, and it is not restorable any more when its file has changed",
    async () => {
      const verified = async () =>
        (await kube.get(Backups, { name: "asked", namespace: NAMESPACE }))?.status?.verification;
      const first = await verified();
      const once = await ran("verify", "asked");
      assert.equal(once.code, 0, once.said);
      const { spec } = (await kube.get(Backups, { name: "asked", namespace: NAMESPACE })) ?? {};
      const second = await verified();
      assert.deepEqual([first?.request, second?.request], [undefined, spec?.verifyRequest]);
      assert.notEqual(second?.completionTime, first?.completionTime);
      const again = await ran("verify", "damaged");
      assert.deepEqual([again.code, /not restorable: .* has 7 of the/.test(again.said)], [3, true], again.said);
      assert.match((await ran("verify", "none")).said, /CLI_NO_BACKUP|no backup "none"/);
    },
  );

  await t.test("storectl takes none without a place, and none of a database that is not there", async () => {
    assert.match((await ran("now", "orders", "--bucket", "b")).said, /needs both a bucket and a Secret/);
    assert.match((await ran("now", "none")).said, /no StoreEnterpriseDatabase "none"/);
  });
}

async function triedBackups(t: TestContext, world: StorectlWorld, server: TestObjectStore): Promise<void> {
  const { ask, stands } = backupsIn(world, server);
  await t.test("what keeps one from being loaded is its condition, and it is complete all the same", async () => {
    await ask("damaged", {}, { verify: false });
    const { status, metadata } = await stands("damaged", "Completed");
    const file = server.keys().find((key) => key.startsWith(status?.path ?? "none") && key.endsWith(".rdb")) ?? "";
    writeFileSync(join(server.folder, file), "no data");
    const body = { spec: { verify: true } };
    await world.kube.patch(Backups, { name: metadata.name, namespace: NAMESPACE }, { type: "merge", body });
    const seen = await stands("damaged", "Completed", /^BackupDamaged: .* has 7 of the \d+ bytes/, "Restorable");
    assert.deepEqual(
      seen.status?.conditions?.map(({ type, status }) => `${type} ${status}`),
      ["Complete True", "Ready False", "Reconciling False", "Stalled True", "Restorable False"],
    );
  });

  await t.test("one that is not to be loaded says nothing of that", async () => {
    await ask("untried", {}, { verify: false });
    const { status } = await stands("untried", "Completed");
    assert.equal(status?.verification, undefined);
  });
}

function backupsIn({ kube }: StorectlWorld, { access }: TestObjectStore) {
  const store = { bucketName: access.bucket, awsSecretName: "keys", subdir: "team", regionName: access.region };
  const place = { ...store, endpoint: access.endpoint ?? "", pathStyle: true };
  const refOf = (name: string) => ({ name, namespace: NAMESPACE });
  return {
    place,
    ask: (name: string, s3: Partial<BackupSpec["s3"]> = {}, more: Partial<BackupSpec> = {}) =>
      kube.create(Backups, {
        metadata: refOf(name),
        spec: { databaseName: "orders", s3: { ...place, ...s3 }, ...more },
      }),
    remove: (name: string) => kube.delete(Backups, refOf(name)),
    /** Waits until it has that phase, and its condition says that. */
    async stands(name: string, phase: string, says = /^/, of = "Complete"): Promise<Stored<StoreEnterpriseBackup>> {
      let found: Stored<StoreEnterpriseBackup> | undefined;
      const isThere = async (): Promise<boolean> => {
        found = await kube.get(Backups, refOf(name));
        const { reason = "", message = "" } = found?.status?.conditions?.find(({ type }) => type === of) ?? {};
        return found?.status?.phase === phase && says.test(`${reason}: ${message}`);
      };
      await until(`${name} is ${phase} ${says.source}`, isThere, { ...PATIENCE, withinMs: 120_000 });
      assert.ok(found);
      return found;
    },
  };
}

function secretOf({ access }: TestObjectStore, name: string) {
  const stringData = { AWS_ACCESS_KEY_ID: access.accessKeyId, AWS_SECRET_ACCESS_KEY: access.secretAccessKey };
  return { metadata: { name, namespace: NAMESPACE }, stringData };
}

async function writeKeys({ kube }: StorectlWorld, count: number): Promise<void> {
  const secret = await kube.get(Secrets, { name: "redb-orders", namespace: NAMESPACE });
  const read = async () => (await kube.get(Services, { name: "orders", namespace: NAMESPACE }))?.spec;
  await until("the Service has an address", async () => (await read())?.clusterIP !== undefined, PATIENCE);
  const { clusterIP: host = "", ports } = (await read()) ?? {};
  const port = ports?.[0]?.port ?? 0;
  const password = Buffer.from(secret?.data?.["password"] ?? "", "base64").toString();
  for (let key = 0; key < count; key++)
    await callEngine({ host, port, password, timeoutMs: 5_000 }, "SET", `key ${key}`, "value");
}
