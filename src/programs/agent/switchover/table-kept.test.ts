import assert from "node:assert/strict";
import { test } from "node:test";
import { TableScene } from "../../../../test/kit/mover/table-scene.ts";
import { freezeAt, mustSwitch, requireAsBefore, switchNow } from "../../../../test/kit/mover/table-turns.ts";
import { primaryOf } from "../../../core/planner/database/facts.ts";
import { withoutFurtherShards } from "../../../core/records/reshape-record.ts";
import { resolveTable } from "./table-resolve.ts";
import { TABLE_STEPS } from "./table-ports.ts";

// Some shards of a table are replaced, and one is kept, whatever ends in the middle: it serves all the time, no write is lost, and no request fails.

const FIRST = TABLE_STEPS.indexOf("intend");
/** All shards to be are promoted. */
const SERVING = TABLE_STEPS.slice(TABLE_STEPS.indexOf("release"));
const BEFORE = ["0-4095", "4096-8191", "8192-16383"];
const AFTER = ["0-4000,4096", "4001-4095,4097-8191", "8192-16383"];

test("one shard becomes three uneven ones, a slot moves between two of them, and two even ones come", async () => {
  await using scene = await TableScene.start(1);
  const load = await scene.startLoad();
  for (const shards of [BEFORE, AFTER, 2]) {
    await load.more();
    await scene.fill(shards);
    await mustSwitch(scene, load);
    await scene.change(withoutFurtherShards);
  }
  assert.deepEqual(
    scene.record.shards.map(({ id }) => id),
    [7, 4],
    "the second half is the same all the time",
  );
  await load.requireNothingLost();
});

for (const step of TABLE_STEPS.slice(FIRST))
  test(`a leader that is suspended before "${step}" has a successor that goes on, and a shard is kept`, async () => {
    await using scene = await TableScene.start(BEFORE);
    const load = await scene.startLoad();
    await scene.fill(AFTER);
    const frozen = freezeAt(step);
    const stale = switchNow(scene, scene.ports(frozen.before));
    await frozen.reached;
    await requireKept(scene);
    await resolveTable({ record: scene.record, isDead: () => false }, scene.ports());
    const isServed = SERVING.includes(step);
    if (isServed) await scene.configure();
    await load.more();
    frozen.thaw();
    const { kind } = await stale;
    if (step !== "intend" && !isServed) {
      assert.equal(kind, "aborted");
      await requireAsBefore(scene, load);
      await mustSwitch(scene, load);
    }
    await scene.requireOneTable();
    await requireKept(scene);
    await load.requireNothingLost();
  });

test("a kept shard that fails over while others are copied disturbs nothing, and is the next table's with its new primary", async () => {
  await using scene = await TableScene.start(BEFORE);
  const load = await scene.startLoad();
  await scene.fill(AFTER);
  const kept = scene.record.shards[2];
  assert.ok(kept !== undefined);
  const other = await scene.addEngine();
  const former = scene.engineOf(primaryOf(kept));
  await load.requireNothingLost();
  await scene.engineOf(other).follow(former);
  await scene.engineOf(other).call("REPLICAOF", "NO", "ONE");
  await scene.change((record) => ({
    ...record,
    shards: record.shards.map((shard) =>
      shard.id === kept.id ? { ...shard, epoch: 2, primary: other.id, instances: [other] } : shard,
    ),
  }));
  await scene.configure();
  const again = await scene.startLoad();
  await mustSwitch(scene, again);
  const found = scene.record.shards.find(({ id }) => id === kept.id);
  assert.deepEqual([found?.primary, found?.epoch], [other.id, 2]);
  await again.requireNothingLost();
});

/** The third shard has the primary that it had, which serves. */
async function requireKept(scene: TableScene): Promise<void> {
  const shard = scene.record.shards.find(({ id }) => id === 3);
  assert.ok(shard !== undefined);
  assert.equal((await scene.engineOf(primaryOf(shard)).replication()).role, "primary");
}
