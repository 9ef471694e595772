import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { mortalKube } from "../../../../test/kit/operator/mortal-kube.ts";
import { startOperatorWorld } from "../../../../test/kit/operator/operator-world.ts";
import { BACKUP_SCHEDULE_LABEL } from "../../../core/api/names.ts";
import { runName } from "../../../core/backup/schedule-runs.ts";
import { Backups } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { HOUR, NAMESPACE, PLACE, SPEC, scheduleIn } from "../../../../test/kit/operator/schedule-scene.ts";

// A real API, and the passes over schedules of an operator whose clock the test moves. What becomes of a backup is said by the test.

/** What each backup gets of its schedule. */
const RUN = {
  encryption: { secretName: "backup-encryption" },
  bytesPerSecond: 5_000_000,
  verify: false,
  activeDeadlineSeconds: 600,
};

test("what is due is asked for once, in the words of the schedule, and nothing is done in between", async () => {
  await using world = await startOperatorWorld();
  const scene = scheduleIn(world);
  const { status: before } = await scene.make(RUN);
  await using operator = await scene.operate();
  assert.equal((await scene.says("Scheduled")).nextScheduleTime, scene.hour(1));
  assert.equal(before, undefined);
  const asked = world.asked().length;
  await operator.advance(scene.untilHour(1) - 1);
  assert.deepEqual(world.asked().slice(asked), [], "it does no work before the next one is due");
  await operator.advance(1);
  const { lastBackup, active, lastScheduleTime, nextScheduleTime } = await scene.says("Running");
  const name = scene.run(1);
  assert.deepEqual(
    [lastBackup, active, lastScheduleTime, nextScheduleTime],
    [name, name, scene.hour(1), scene.hour(2)],
  );
  const [made, ...others] = await scene.backups();
  const { schedule: _, timeZone: __, ...place } = SPEC;
  assert.deepEqual(made?.spec, { ...place, ...RUN });
  assert.deepEqual([made.metadata.labels, others.length], [{ [BACKUP_SCHEDULE_LABEL]: "hourly" }, 0]);
  assert.deepEqual(await scene.events(), ["BackupScheduled x1"]);
});

test("one that is under way is named, and what was due meanwhile begins when it has ended", async () => {
  await using world = await startOperatorWorld();
  const scene = scheduleIn(world);
  await scene.make();
  await using operator = await scene.operate();
  await scene.says("Scheduled");
  await operator.advance(scene.untilHour(1));
  await scene.says("Running");
  await operator.advance(HOUR);
  assert.equal((await scene.says("RunUnderWay", new RegExp(`until ${scene.run(1)} has ended`))).active, scene.run(1));
  assert.equal((await scene.backups()).length, 1);
  await scene.end(scene.run(1), "Completed");
  const status = await scene.says("Running", new RegExp(scene.run(2)));
  assert.deepEqual([status.active, status.lastRestorable], [scene.run(2), scene.run(1)]);
  assert.ok(status.lastRestorableTime !== undefined);
  await scene.end(scene.run(2), "Failed");
  assert.equal((await scene.says("Scheduled")).lastRestorable, scene.run(1), "one that failed is none to restore");
});

test("an operator that is killed before any of its writes makes one backup of each time all the same", async () => {
  for (let writes = 0; ; writes += 1) {
    await using world = await startOperatorWorld();
    const scene = scheduleIn(world);
    await scene.make();
    const mortal = mortalKube(world.kube, writes, ({ plural }) => plural.startsWith("storeenterprisebackup"));
    await using first = await scene.operate(mortal.kube);
    const says = async () => (await scene.stored())?.status?.lastBackup === scene.run(1);
    await until("it has looked", async () => mortal.hasDied() || (await scene.stored())?.status !== undefined);
    await first.advance(scene.untilHour(1));
    await until("it is asked for", async () => mortal.hasDied() || (await says()));
    await first.stop();
    await using _second = await scene.operate();
    await until("the next operator says it", says);
    const names = (await scene.backups()).map(({ metadata }) => metadata.name);
    assert.deepEqual(names, [scene.run(1)], `an operator that ended after ${writes} writes`);
    if (!mortal.hasDied()) break;
    assert.ok(writes < 10);
  }
});

test("an operator that was away makes up for the last one, or says that it is too late", async () => {
  await using world = await startOperatorWorld();
  const scene = scheduleIn(world);
  await scene.make();
  {
    await using operator = await scene.operate();
    await scene.says("Scheduled");
    await operator.stop();
  }
  await scene.clock.advance(72 * HOUR);
  await using _operator = await scene.operate();
  await scene.says("Running");
  const [made, ...others] = await scene.backups();
  const dueAt = Math.floor(scene.clock.now().getTime() / HOUR) * HOUR;
  assert.deepEqual([made?.metadata.name, others], [runName("hourly", dueAt), []]);
});

test("one that is too late is left out, with an event; a schedule that is suspended is silent", async () => {
  await using world = await startOperatorWorld();
  const scene = scheduleIn(world);
  await scene.make({ startingDeadlineSeconds: 60, suspend: true });
  await using operator = await scene.operate();
  assert.equal((await scene.says("Suspended")).nextScheduleTime, undefined);
  await operator.advance(scene.untilHour(1) + 61_000);
  await scene.change({ suspend: false });
  const status = await scene.says("Missed", /left out; remedy: .*startingDeadlineSeconds/);
  assert.deepEqual([status.missedScheduleTime, status.nextScheduleTime], [scene.hour(1), scene.hour(2)]);
  assert.deepEqual([await scene.backups(), await scene.events()], [[], ["BackupMissed x1"]]);
});

test("a database whose newest backup is old has the condition and the event, until one can be restored", async () => {
  await using world = await startOperatorWorld();
  const scene = scheduleIn(world);
  await scene.make();
  await using operator = await scene.operate();
  assert.equal(
    (await scene.says("Awaited", /has no backup that can be restored; .*90 min/, "True", "Fresh")).wantedAgeSeconds,
    5_400,
  );
  await operator.advance(scene.untilHour(1));
  await scene.says("Running");
  await operator.advance(1.5 * HOUR + 1_000);
  await scene.says("Stale", /^the database has no backup/, "False", "Fresh");
  const [age] = operator.ages().ages;
  assert.deepEqual(age?.labels, { database_namespace: NAMESPACE, database: "orders" });
  assert.ok(age.value > 5_400);
  assert.deepEqual(operator.ages().wanted, [{ labels: { ...age.labels, schedule: "hourly" }, value: 5_400 }]);
  await scene.end(scene.run(1), "Completed");
  await scene.says("Restorable", /that can be restored is of 20/, "True", "Fresh");
  assert.equal(operator.ages().ages[0]?.value, 0);
  assert.ok((await scene.events()).includes("BackupStale x1"));
});

test("what cannot be followed is said with the field, also when no webhook was asked", async () => {
  await using world = await startOperatorWorld();
  const scene = scheduleIn(world);
  await scene.make({ timeZone: "Europe/Nowhere" });
  await using operator = await scene.operate();
  await scene.says("SpecInvalid", /^spec\.timeZone: Invalid value: "Europe\/Nowhere"/, "False");
  await scene.change({ timeZone: "UTC" });
  await scene.says("Scheduled");
  const taken = { metadata: { name: scene.run(1), namespace: NAMESPACE }, spec: { ...PLACE, databaseName: "orders" } };
  await world.kube.create(Backups, taken);
  await operator.advance(scene.untilHour(1));
  await scene.says("NameTaken", /not of this schedule; remedy: kubectl delete rebackup hourly-/, "False");
  assert.deepEqual(await scene.events(), ["NameTaken x1", "SpecInvalid x1"]);
});
