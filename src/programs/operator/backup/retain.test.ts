import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { mortalKube } from "../../../../test/kit/operator/mortal-kube.ts";
import { startOperatorWorld } from "../../../../test/kit/operator/operator-world.ts";
import { block, wait } from "../../../core/planner/findings/finding.ts";
import { Backups, Restores } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import type { RemovalRefusal } from "./remove.ts";
import type { RetentionDeps } from "./retain.ts";
import { NAMESPACE, PLACE, scheduleIn } from "../../../../test/kit/operator/schedule-scene.ts";

// A real API. What the cluster removes from the object store is said by the test; test/world/backups.test.ts has the real one.

test("what the schedule does not keep goes, the data before the object, and what was made by hand stays", async () => {
  await using world = await startOperatorWorld();
  const scene = scheduleIn(world);
  await scene.make({ suspend: true });
  await scene.made(1, 2, 3, 4);
  await world.kube.create(Backups, {
    metadata: { name: "by-hand", namespace: NAMESPACE },
    spec: { ...PLACE, databaseName: "orders" },
  });
  await scene.end("by-hand", "Completed", new Date(0).toISOString());
  const restore = {
    metadata: { name: "copy", namespace: NAMESPACE },
    spec: { databaseName: "copy", backupName: scene.run(-4) },
  };
  await world.kube.create(Restores, restore);
  const removed: string[] = [];
  let trouble: RemovalRefusal | undefined;
  await using operator = await scene.operate(world.kube, async ({ metadata }) => {
    assert.ok((await scene.backups()).some((one) => one.metadata.name === metadata.name));
    if (trouble === undefined) removed.push(metadata.name);
    return trouble;
  });
  await scene.says("KeepsAll", /no spec\.retention/, "True", "Retention");
  trouble = { ...block("ObjectStoreCredentials", "the key may not delete", "allow it"), isHalfGone: false };
  await scene.change({ retention: { count: 2 } });
  await scene.says(
    "ObjectStoreCredentials",
    /^hourly-\d+-\d+ is not removed: the key may not .*; remedy/,
    "False",
    "Retention",
  );
  assert.deepEqual([removed, (await scene.backups()).length], [[], 5]);
  trouble = undefined;
  await operator.advance(600_000);
  await scene.says("Keeps", /^kept are the last 2$/, "True", "Retention");
  assert.deepEqual(removed, [scene.run(-3)]);
  const names = (await scene.backups()).map(({ metadata }) => metadata.name).toSorted();
  assert.deepEqual(names, ["by-hand", scene.run(-1), scene.run(-2), scene.run(-4)].toSorted());
  const events = (await scene.events()).filter((event) => event.includes("Removed"));
  assert.deepEqual(events, ["BackupNotRemoved x1", "BackupRemoved x1"]);
});

test("an operator that is killed before any of its writes removes what is not kept all the same", async () => {
  for (let writes = 0; ; writes += 1) {
    await using world = await startOperatorWorld();
    const scene = scheduleIn(world);
    await scene.make({ suspend: true, retention: { count: 1 } });
    await scene.made(1, 2, 3);
    const removed = new Set<string>();
    const remove: RetentionDeps["removeSaved"] = ({ metadata }) => {
      removed.add(metadata.name);
      return Promise.resolve(undefined);
    };
    const mortal = mortalKube(world.kube, writes, ({ plural }) => plural.startsWith("storeenterprisebackup"));
    await using first = await scene.operate(mortal.kube, remove);
    const isDone = async (): Promise<boolean> => (await scene.backups()).length === 1;
    await until("it has removed them", async () => mortal.hasDied() || (await isDone()));
    await first.stop();
    await using _second = await scene.operate(world.kube, remove);
    await until("the next operator has removed them", isDone);
    assert.deepEqual([...removed].toSorted(), [scene.run(-3), scene.run(-2)], `one that ended after ${writes} writes`);
    if (!mortal.hasDied()) break;
    assert.ok(writes < 10);
  }
});

test("those that never go hold up no other one, and are not tried at each pass", async () => {
  await using world = await startOperatorWorld();
  const scene = scheduleIn(world);
  await scene.make({ suspend: true });
  const hours = Array.from({ length: 12 }, (_, at) => at + 1);
  await scene.made(...hours);
  const tried: string[] = [];
  const foreign = hours.slice(4).map((hour) => scene.run(-hour));
  await using operator = await scene.operate(world.kube, ({ metadata: { name } }) => {
    tried.push(name);
    return Promise.resolve(
      foreign.includes(name)
        ? { ...block("BackupForeign", "it is of another", "remove it"), isHalfGone: false }
        : undefined,
    );
  });
  await scene.change({ retention: { count: 2 } });
  for (const goes of [scene.run(-4), scene.run(-3)])
    await until(`${goes} goes`, async () => {
      await operator.advance(1_000);
      return (await scene.backups()).every(({ metadata }) => metadata.name !== goes);
    });
  await scene.says(
    "BackupForeign",
    new RegExp(`^${scene.run(-12)} is not removed: it is of another; remedy: remove it$`),
    "False",
    "Retention",
  );
  for (const status of ["Running", "Completed"] as const) await scene.end(scene.run(-1), status);
  await operator.advance(60_000);
  assert.deepEqual(
    tried,
    hours
      .slice(2)
      .map((hour) => scene.run(-hour))
      .toReversed(),
  );
  await operator.advance(600_000);
  await until("the oldest one is tried again", () => tried.length === 15);
  assert.deepEqual(tried.slice(10), foreign.toReversed().slice(0, 5));
  assert.equal(
    (await scene.events()).filter((event) => event.startsWith("BackupNotRemoved")).join(),
    "BackupNotRemoved x1",
  );
});

test("one that is half gone can be restored no more, and goes all the same", async () => {
  await using world = await startOperatorWorld();
  const scene = scheduleIn(world);
  await scene.make({ suspend: true, retention: { count: 1 } });
  await scene.made(1, 2);
  let isSlow = true;
  await using operator = await scene.operate(world.kube, () =>
    Promise.resolve(isSlow ? { ...wait("ObjectStoreBusy", "it is busy", "wait"), isHalfGone: true } : undefined),
  );
  const restorable = async (hour: number): Promise<string> => {
    const found = (await scene.backups()).find(({ metadata }) => metadata.name === scene.run(-hour));
    const {
      status = "",
      reason = "",
      message = "",
    } = found?.status?.conditions?.find(({ type }) => type === "Restorable") ?? {};
    return `${status} ${reason}: ${message}`;
  };
  const said = "False HalfRemoved: its removal has begun, and goes on: it is busy; remedy: wait";
  await until("it is said", async () => (await restorable(2)) === said);
  assert.match(await restorable(1), /^True /);
  isSlow = false;
  await operator.advance(600_000);
  await until("it is gone", async () => (await scene.backups()).length === 1);
});

test("one that others keep while it is deleted is removed once, and counts no more", async () => {
  await using world = await startOperatorWorld();
  const scene = scheduleIn(world);
  await scene.make({ suspend: true, retention: { count: 1 } });
  await scene.made(1, 2, 3);
  for (const hour of [3, 1]) {
    const ref = { name: scene.run(-hour), namespace: NAMESPACE };
    const body = { metadata: { finalizers: ["example.com/kept"] } };
    await world.kube.patch(Backups, ref, { type: "merge", body });
  }
  await world.kube.delete(Backups, { name: scene.run(-1), namespace: NAMESPACE });
  const tried: string[] = [];
  await using operator = await scene.operate(world.kube, ({ metadata }) => {
    tried.push(metadata.name);
    return Promise.resolve(undefined);
  });
  await until("it is removed", () => tried.length > 0);
  for (let second = 0; second < 5; second += 1) await operator.advance(1_000);
  await scene.says("Keeps", /./, "True", "Retention");
  assert.deepEqual(tried, [scene.run(-3)]);
  assert.deepEqual(
    (await scene.events()).filter((event) => event.includes("Removed")),
    ["BackupRemoved x1"],
  );
});

test("nothing more goes once the schedule is changed, and no object that was made again meanwhile", async () => {
  await using world = await startOperatorWorld();
  const scene = scheduleIn(world);
  await scene.make({ suspend: true, retention: { count: 1 } });
  await scene.made(1, 2, 3, 4);
  const tried: string[] = [];
  await using operator = await scene.operate(world.kube, async ({ metadata }) => {
    tried.push(metadata.name);
    if (tried.length > 1) return undefined;
    const next = { name: scene.run(-3), namespace: NAMESPACE };
    const [old] = (await scene.backups()).filter((one) => one.metadata.name === next.name);
    await world.kube.delete(Backups, next);
    await world.kube.create(Backups, {
      metadata: { ...next, labels: old?.metadata.labels ?? {} },
      spec: { ...PLACE, databaseName: "orders" },
    });
    await operator.sees(next.name, old?.metadata.uid ?? "");
    return undefined;
  });
  await until("the others are removed", () => tried.length === 2);
  await scene.change({ retention: { count: 5 } });
  await scene.says("Keeps", /the last 5/, "True", "Retention");
  assert.deepEqual(tried, [scene.run(-4), scene.run(-2)]);
});
