import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { slotTable } from "../../core/slots/slot-table.ts";
import { evenSlots } from "../../core/slots/shard-slots.ts";
import { slotOf } from "../../core/slots/slot.ts";
import { engineNames, enginePair, startEngine } from "../../../test/kit/engines/engine.ts";
import { startAll } from "../../../test/kit/engines/start-all.ts";
import { assertMoved } from "../../../test/kit/mover/assert-moved.ts";
import { MovedShards } from "../../../test/kit/mover/moved-shards.ts";
import { writeTypedKeys } from "../../../test/kit/mover/typed-keys.ts";

for (const engine of engineNames())
  test(`each key of ${engine} goes to the shard of its slot as it is, from the snapshot and from the stream`, async () => {
    await using source = await startEngine({ engine });
    const isRedis8 = engine.startsWith("redis-8");
    const client = await source.connect();
    await writeTypedKeys(client, { each: 12, isRedis8 });
    await client.call("SELECT", 3);
    await writeTypedKeys(client, { each: 4, isRedis8 });
    await client.call(
      "FUNCTION",
      "LOAD",
      "#!lua name=early\nredis.register_function('early', function() return 1 end)",
    );
    await using moved = await MovedShards.begin([source], { targets: 3, engine });
    await moved.following();
    assert.ok((await assertMoved(moved, "snapshot")) > 200);
    const { sources } = await moved.mover.status();
    assert.equal(sources[0]?.history, (await source.replication()).replicationId);
    await writeTypedKeys(client, { each: 20, isRedis8 });
    await client.call("FUNCTION", "LOAD", "#!lua name=late\nredis.register_function('late', function() return 2 end)");
    client.close();
    await moved.finish();
    assert.ok((await assertMoved(moved, "stream")) > 300);
    for (const target of moved.targets)
      assert.deepEqual([await target.call("FCALL", "early", 0), await target.call("FCALL", "late", 0)], [1, 2]);
  });

test("shards become fewer, of a later version, while their streams flow", async () => {
  const [former, next] = enginePair();
  const sources = await startAll(...[1, 2, 3].map(() => startEngine({ engine: former })));
  const table = slotTable(evenSlots(3));
  const write = async (each: number): Promise<void> => {
    for (const [at, source] of sources.entries()) {
      const client = await source.connect();
      const isHere = (key: string): boolean => table?.[slotOf(Buffer.from(key))] === at;
      await writeTypedKeys(client, { each, isRedis8: false, isHere });
      client.close();
    }
  };
  try {
    await write(12);
    await using moved = await MovedShards.begin(sources, { targets: 1, engine: next });
    await write(20);
    await moved.following();
    await write(30);
    await moved.finish();
    assert.ok((await assertMoved(moved, "stream")) > 300);
  } finally {
    await Promise.all(sources.map((source) => source.stop()));
  }
});

test("a value of 300 MB is passed on and never kept whole", async () => {
  await using source = await startEngine({ args: ["--rdbcompression", "no"] });
  await source.call("SETRANGE", "large", LARGE_BYTES - 1, "x");
  await using moved = await MovedShards.begin([source], { targets: 2 });
  await moved.following();
  const lengths = await Promise.all(moved.targets.map((target) => target.call("STRLEN", "large")));
  assert.deepEqual(lengths.toSorted(), [0, LARGE_BYTES]);
  const most = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${moved.mover.pid}/status`, "utf8"))?.[1];
  assert.ok(Number(most) * 1_024 < LARGE_BYTES, `the mover has taken ${most} kB`);
});

const LARGE_BYTES = 300_000_000;
