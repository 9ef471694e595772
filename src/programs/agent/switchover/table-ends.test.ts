import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { TableScene } from "../../../../test/kit/mover/table-scene.ts";
import { freezeAt, mustSwitch, requireAsBefore, switchNow } from "../../../../test/kit/mover/table-turns.ts";
import { primaryOf, replicasOf } from "../../../core/planner/database/facts.ts";
import { resolveTable } from "./table-resolve.ts";
import { TABLE_STEPS } from "./table-ports.ts";

// Whatever ends in the middle of a switch to other shards, and whichever leader goes on: no write is lost, and no request fails.

const FIRST = TABLE_STEPS.indexOf("intend");
/** All shards to be are promoted. */
const SERVING = TABLE_STEPS.slice(TABLE_STEPS.indexOf("release"));

for (const step of TABLE_STEPS.slice(FIRST))
  test(`a leader that is suspended before "${step}" has a successor that goes on, and does no harm when it continues`, async () => {
    await using scene = await TableScene.start(2);
    const load = await scene.startLoad();
    await scene.fill(3);
    const frozen = freezeAt(step);
    const stale = switchNow(scene, scene.ports(frozen.before));
    await frozen.reached;
    await resolveTable({ record: scene.record, isDead: () => false }, scene.ports());
    const isServed = SERVING.includes(step);
    if (isServed) await scene.configure();
    assert.equal(scene.record.reshape?.phase, isServed ? "retire" : "copy");
    await load.more();
    frozen.thaw();
    const { kind } = await stale;
    if (step === "intend" || isServed) assert.equal(kind, "done");
    else {
      assert.equal(kind, "aborted");
      await requireAsBefore(scene, load);
      await mustSwitch(scene, load);
    }
    await scene.requireOneTable();
    await load.requireNothingLost();
  });

for (const step of TABLE_STEPS.slice(FIRST, TABLE_STEPS.indexOf("demote") + 1))
  test(`the mover ends at "${step}": all that clients wrote is where they are sent`, async () => {
    await using scene = await TableScene.start(2);
    const load = await scene.startLoad();
    await scene.fill(3);
    const result = await switchNow(
      scene,
      scene.ports((at) => (at === step ? scene.movers.stop() : Promise.resolve())),
    );
    assert.equal(result.kind, TABLE_STEPS.indexOf(step) > TABLE_STEPS.indexOf("reach") ? "done" : "aborted");
    await load.more();
    await scene.requireOneTable();
    await load.requireNothingLost();
  });

for (const step of TABLE_STEPS.slice(FIRST, TABLE_STEPS.indexOf("promote") + 1))
  test(`an engine of the shards to be ends at "${step}": the former shards serve as before`, async () => {
    await using scene = await TableScene.start(2);
    const load = await scene.startLoad();
    await scene.fill(3);
    const [target] = scene.record.reshape?.shards ?? [];
    assert.ok(target !== undefined);
    const result = await switchNow(
      scene,
      scene.ports((at) => (at === step ? scene.engineOf(primaryOf(target)).stop() : Promise.resolve())),
    );
    assert.equal(result.kind, "aborted", JSON.stringify(result));
    await load.more();
    for (const shard of scene.record.shards)
      assert.equal((await scene.engineOf(primaryOf(shard)).replication()).role, "primary");
    await load.requireNothingLost();
  });

test("the leader and a new primary end before the release: another leader waits while that primary may be alive, and then its replica serves", async () => {
  await using scene = await TableScene.start(2);
  const load = await scene.startLoad();
  await scene.fill(3);
  const frozen = freezeAt("release");
  const stale = switchNow(scene, scene.ports(frozen.before));
  await frozen.reached;
  const [target] = scene.record.reshape?.shards ?? [];
  const [replica] = target === undefined ? [] : replicasOf(target);
  assert.ok(target !== undefined && replica !== undefined);
  await scene.engineOf(primaryOf(target)).stop();
  const doubt = { record: scene.record, isDead: () => false };
  await assert.rejects(resolveTable(doubt, scene.ports()), { code: "AGENT_MOVE_NOT_DONE" });
  assert.equal(scene.record.reshape?.phase, "hold");
  await resolveTable({ ...doubt, isDead: (id) => id === target.primary }, scene.ports());
  assert.equal(scene.record.reshape?.phase, "retire");
  await scene.engineOf(replica).call("REPLICAOF", "NO", "ONE");
  await scene.change((record) => ({
    ...record,
    shards: record.shards.map((shard) =>
      shard.id === target.id ? { ...shard, epoch: 2, primary: replica.id } : shard,
    ),
  }));
  await scene.configure();
  await load.more();
  frozen.thaw();
  await stale;
  await load.more();
  await scene.requireOneTable();
  await load.requireNothingLost();
});

test("the node of all former and all new primaries ends after the release and before the record: what clients wrote meanwhile is not left", async () => {
  await using scene = await TableScene.start(2);
  const load = await scene.startLoad();
  await scene.fill(1);
  const frozen = freezeAt("commit");
  const stale = switchNow(scene, scene.ports(frozen.before));
  await frozen.reached;
  await load.more();
  const [target] = scene.record.reshape?.shards ?? [];
  const [replica] = target === undefined ? [] : replicasOf(target);
  assert.ok(target !== undefined && replica !== undefined);
  const follows = async (): Promise<boolean> =>
    !String(await scene.engineOf(replica).call("INFO", "replication")).includes("second_repl_offset:-1");
  await until("the replica follows the new primary", follows);
  const ended = [target, ...scene.record.shards].map(({ primary }) => primary);
  await Promise.all(ended.map((id) => scene.engine(id).stop()));
  await resolveTable({ record: scene.record, isDead: (id) => ended.includes(id) }, scene.ports());
  assert.equal(scene.record.reshape?.phase, "retire");
  frozen.thaw();
  assert.equal((await stale).kind, "done");
});

test("clients that were let in to new shards of which nothing is left go back with all proxies", async () => {
  await using scene = await TableScene.start(1);
  await scene.fill(2);
  const frozen = freezeAt("commit");
  const stale = switchNow(scene, scene.ports(frozen.before));
  await frozen.reached;
  const gone = (scene.record.reshape?.shards ?? []).flatMap(({ instances }) => instances.map(({ id }) => id));
  await Promise.all(gone.map((id) => scene.engine(id).stop()));
  await resolveTable({ record: scene.record, isDead: (id) => gone.includes(id) }, scene.ports());
  assert.deepEqual([scene.record.reshape?.phase, scene.record.shards.length], ["copy", 1]);
  assert.match(scene.record.lossReports.join(), /the new shards died .* are lost/);
  const load = await scene.startLoad();
  await load.more();
  await scene.configure();
  await load.more();
  await load.requireNothingLost();
  frozen.thaw();
  assert.equal((await stale).kind, "unresolved");
});

test("a new shard that gets more than its share of memory does not serve, and does once it has more", async () => {
  await using scene = await TableScene.start(1);
  const load = await scene.startLoad();
  await scene.fill(2);
  const [target] = scene.record.reshape?.shards ?? [];
  assert.ok(target !== undefined);
  const engine = scene.engineOf(primaryOf(target));
  await engine.call("CONFIG", "SET", "maxmemory", "200000");
  const result = await switchNow(scene);
  assert.ok(result.kind === "refused");
  assert.deepEqual([result.obstacle?.id, scene.record.reshape?.phase], ["MemoryTooSmall", "copy"]);
  await engine.call("CONFIG", "SET", "maxmemory", "0");
  await mustSwitch(scene, load);
  await load.requireNothingLost();
});
