import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Fault } from "#kit/base/fault";
import { faults } from "#kit/kube/faults";
import type { Kube } from "#kit/kube/kube";
import { until } from "#kit/testing/until";
import { foundKubectls } from "../../../../test/api-servers/kubectls.ts";
import { mortalKube } from "../../../../test/kit/operator/mortal-kube.ts";
import { startOperatorWorld, type OperatorWorld } from "../../../../test/kit/operator/operator-world.ts";
import { typistOf } from "../../../../test/kit/pages/typist.ts";
import { startShell } from "../../../../test/kit/world/shell.ts";
import type { StoreEnterpriseDatabase } from "../../../core/api/kinds.ts";
import { latestRelease } from "../../../core/releases/catalogue/find.ts";
import { BackupSchedules, Databases } from "../../../mechanisms/observe/kubernetes/kinds.ts";

// A real API and a real operator. The cluster of the database is not there: its schedule is kept all the same.

const ROOT = join(import.meta.dirname, "../../../..");
const VERSION = latestRelease().operator;
const REF = { name: "orders", namespace: "default" };
const S3 = { bucketName: "backups", awsSecretName: "keys" };
const BACKUP = { s3: S3, intervalOffset: 9_000 };
const WANTED = { databaseName: "orders", schedule: "30 2 * * *", timeZone: "UTC", s3: S3 };
const PATIENCE = { withinMs: 60_000, everyMs: 50 };

test("the schedule of a database is made, put back, changed and removed, and nothing is done in between", async () => {
  await using world = await startOperatorWorld();
  const { kube, made, change, becomes, schedule } = sceneIn(world);
  await world.operate(VERSION);
  const { uid } = await made();
  await becomes("made", WANTED);
  const owner = { apiVersion: "app.storeenterprise.io/v1", kind: "StoreEnterpriseDatabase", name: "orders", uid };
  assert.deepEqual((await schedule())?.metadata.ownerReferences, [{ ...owner, controller: true }]);
  const edit = { spec: { suspend: true, schedule: "0 0 * * *" }, metadata: { labels: { team: "a" } } };
  await kube.patch(BackupSchedules, REF, { type: "merge", body: edit });
  await becomes("put back", WANTED);
  assert.deepEqual((await schedule())?.metadata.labels, { team: "a" }, "what else is written there stays");
  await change({
    interval: 3_600,
    intervalOffset: 300,
    verify: false,
    bytesPerSecond: 5_000_000,
    retention: { count: 2 },
  });
  const changed = { verify: false, bytesPerSecond: 5_000_000, retention: { count: 2 } };
  await becomes("changed", { ...WANTED, schedule: "5 * * * *", ...changed });
  await kube.delete(BackupSchedules, REF);
  await becomes("made again", { ...WANTED, schedule: "5 * * * *", ...changed });
  const generation = async () => (await schedule())?.metadata.generation;
  const [before, asked] = [await generation(), world.asked().length];
  await kube.patch(Databases, REF, { type: "merge", body: { metadata: { labels: { woken: "yes" } } } });
  await world.operate(VERSION); // which looks at everything anew
  const isLed = () =>
    world
      .asked()
      .slice(asked)
      .some((line) => line.startsWith("list storeenterprisedatabases"));
  await until("the next operator has begun", async () => isLed(), PATIENCE);
  await until("a status was written", async () => (await schedule())?.status !== undefined, PATIENCE);
  const isWrite = (line: string) => /^(?:create|delete) storeenterprisebackupschedules /.test(line);
  assert.deepEqual([world.asked().slice(asked).filter(isWrite), await generation()], [[], before]);
  await change(null);
  await becomes("removed", undefined);
});

test("a schedule that the database does not own is left alone, and the database says so until it may have its own", async () => {
  await using world = await startOperatorWorld();
  const { kube, made, change, becomes, schedule, says } = sceneIn(world);
  const foreign = { ...WANTED, schedule: "0 5 * * *" };
  await kube.create(BackupSchedules, { metadata: REF, spec: foreign });
  await world.operate(VERSION);
  await made();
  const { severity, remedy } = await says("BackupScheduleTaken", /"orders" is not of this database; it stays as it is/);
  assert.match(remedy, /kubectl delete rebackupschedule orders; .* kubectl patch redb orders /);
  assert.equal(severity, "warn");
  const { status } = (await kube.get(Databases, REF)) ?? {};
  assert.ok(
    status?.findings?.some(({ id }) => id === "ClusterNotFound"),
    "what else is to be said of it is said",
  );
  await change({ intervalOffset: 0 });
  await change(null);
  await says(undefined);
  assert.deepEqual((await schedule())?.spec, foreign);
  await change(BACKUP);
  await says("BackupScheduleTaken");
  await kube.delete(BackupSchedules, REF);
  await becomes("made", WANTED);
  await says(undefined);
});

test("the schedule of a former database of the name is waited for", async () => {
  await using world = await startOperatorWorld();
  const { kube, made, becomes, schedule, says } = sceneIn(world);
  await world.operate(VERSION);
  const former = await made();
  await becomes("made", WANTED);
  await kube.delete(Databases, REF);
  await until("it is gone", async () => (await kube.get(Databases, REF)) === undefined, PATIENCE);
  const { uid } = await made();
  await says("BackupScheduleGoing", /of a former database of this name/);
  const ownerOf = async () => (await schedule())?.metadata.ownerReferences?.[0]?.uid;
  assert.equal(await ownerOf(), former.uid);
  await kube.delete(BackupSchedules, REF); // as the collector of garbage does, which this world has not
  await until("it has its own", async () => (await ownerOf()) === uid, PATIENCE);
  await says(undefined);
});

test("a site of an Active-Active database has no schedule, and says why, also when no webhook was asked", async () => {
  await using world = await startOperatorWorld();
  const { made, schedule, says } = sceneIn(world);
  await world.operate(VERSION);
  const apiVersion = "app.storeenterprise.io/v1";
  const owner = { apiVersion, kind: "StoreEnterpriseActiveActiveDatabase", name: "orders", uid: "a", controller: true };
  await made([owner]);
  await says("BackupRefused", /the sites of an Active-Active database are not saved/);
  assert.equal(await schedule(), undefined);
});

test("an operator that may not write schedules says so and tries again; everything else goes on", async () => {
  await using world = await startOperatorWorld();
  const { made, becomes, says } = sceneIn(world);
  let isForbidden = true;
  const forbidding = (kube: Kube): Kube => ({
    ...kube,
    create: async (type, object, how) => {
      if (isForbidden && type.plural === BackupSchedules.plural)
        throw new Fault(faults.forbidden, "it may not create storeenterprisebackupschedules");
      return kube.create(type, object, how);
    },
  });
  await world.operate(VERSION, forbidding);
  await made();
  await says("BackupScheduleNotKept", /"orders" is not as spec\.backup says: .*may not create/);
  isForbidden = false;
  await becomes("made", WANTED);
  await says(undefined);
});

test("an operator that is killed before any of its writes leaves what the next one goes on with", async () => {
  for (let writes = 0; ; writes += 1) {
    await using world = await startOperatorWorld();
    const { kube, made, change, becomes, schedule } = sceneIn(world);
    await made();
    const mortal = mortalKube(kube, writes, ({ plural }) => plural === BackupSchedules.plural);
    await world.operate(VERSION, () => mortal.kube);
    const reaches = (what: string, isDone: (spec: unknown) => boolean) =>
      until(what, async () => mortal.hasDied() || isDone((await schedule())?.spec), PATIENCE);
    await reaches("made", (spec) => spec !== undefined);
    await change({ intervalOffset: 0 });
    await reaches("changed", (spec) => (spec as { schedule?: string } | undefined)?.schedule === "0 0 * * *");
    await world.operate(VERSION);
    await becomes(`an operator that ended after ${writes} writes`, { ...WANTED, schedule: "0 0 * * *" });
    if (!mortal.hasDied()) break;
    assert.ok(writes < 20);
  }
});

const skip = foundKubectls().length > 0 ? false : "no kubectl here: see https://kubernetes.io/docs/tasks/tools/";

test(
  "the lines of docs/backups.md are typed: the database asks, the schedule is there, and goes",
  { skip },
  async () => {
    await using world = await startOperatorWorld();
    const { made, change, becomes } = sceneIn(world);
    await world.operate(VERSION);
    await made();
    await change(null);
    const PATH = `${join(ROOT, "node_modules/node/bin")}:${join(ROOT, "bin")}:${process.env["PATH"] ?? ""}`;
    await using shell = startShell(ROOT, { ...process.env, PATH, KUBECONFIG: world.kubeconfig });
    const typist = typistOf("src/programs/operator/database/asked-schedule.test.ts", shell);
    await typist.type("docs/backups.md", 'kubectl patch redb orders --type merge -p \'{"spec":{"backup":{');
    const s3 = { bucketName: "backups", awsSecretName: "backup-keys", regionName: "eu-central-1" };
    await becomes("made", { ...WANTED, s3, retention: { count: 14 } });
    const [listed = ""] = await typist.type("docs/backups.md", "storectl backup schedules orders");
    assert.match(listed, /^orders +orders +30 2 \* \* \* UTC /m);
    await typist.type("docs/backups.md", 'kubectl patch redb orders --type merge -p \'{"spec":{"backup":null');
    await becomes("removed", undefined);
    typist.assertComplete();
  },
);

/** The database "orders", and what becomes of its schedule. */
function sceneIn({ kube }: OperatorWorld) {
  const schedule = () => kube.get(BackupSchedules, REF);
  return {
    kube,
    schedule,
    made: async (ownerReferences: Parameters<typeof kube.create>[1]["metadata"]["ownerReferences"] = []) => {
      const spec = { backup: BACKUP } as const;
      return (await kube.create(Databases, { metadata: { ...REF, ownerReferences }, spec })).metadata;
    },
    change: (backup: Partial<StoreEnterpriseDatabase["spec"]["backup"]> | null) =>
      kube.patch(Databases, REF, { type: "merge", body: { spec: { backup } } }),
    /** Waits until the schedule is so. */
    becomes: async (what: string, wanted: object | undefined): Promise<void> => {
      let seen: unknown;
      const isSo = async () => {
        seen = (await schedule())?.spec;
        return JSON.stringify(sorted(seen)) === JSON.stringify(sorted(wanted));
      };
      await until(what, isSo, PATIENCE).catch((error: unknown) => {
        throw new Error(`${String(error)}: ${JSON.stringify(seen)}`);
      });
    },
    /** Waits until that is what the database says of its schedule, or nothing. */
    says: async (id: string | undefined, evidence = /^/) => {
      let found: { readonly severity: string; readonly remedy: string } = { severity: "", remedy: "" };
      await until(
        `it says ${id ?? "nothing"}`,
        async () => {
          const all = (await kube.get(Databases, REF))?.status?.findings ?? [];
          const ofBackup = all.filter((finding) => finding.id.startsWith("Backup"));
          found = ofBackup[0] ?? found;
          return id === undefined
            ? ofBackup.length === 0
            : ofBackup.some((one) => one.id === id && evidence.test(one.evidence));
        },
        PATIENCE,
      );
      return found;
    },
  };
}

function sorted(object: unknown): unknown {
  return typeof object === "object" && object !== null ? Object.entries(object).toSorted() : object;
}
