import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { engineNames, startEngine } from "../../../test/kit/engines/engine.ts";
import { assertMoved } from "../../../test/kit/mover/assert-moved.ts";
import { MovedShards } from "../../../test/kit/mover/moved-shards.ts";
import type { EngineClient } from "../../ports/resp/engine-client.ts";
import type { Arg } from "../../ports/resp/encode.ts";

for (const engine of engineNames())
  test(`what ${engine} does to keys of several slots at once is done at the shards of all of them`, async () => {
    await using source = await startEngine({ engine });
    const client = await source.connect();
    for (let n = 0; n < 100; n++) await client.call("SET", `k${n}`, n);
    await using moved = await MovedShards.begin([source], { targets: 4, engine });
    await moved.following();
    for (let n = 0; n < 40; n++) await crossSlots(client, n);
    await until("touched keys are copied again while clients go on", async () => {
      const { sources } = await moved.mover.status();
      return sources[0]?.touched === 0 && sources[0].offset >= (await source.replication()).offset;
    });
    for (let n = 40; n < 80; n++) await crossSlots(client, n);
    client.close();
    await moved.finish();
    assert.ok((await assertMoved(moved, "stream")) > 300);
  });

/** Commands that would be split among shards, or could not be done by several. */
async function crossSlots(client: EngineClient, n: number): Promise<void> {
  const commands: readonly (readonly Arg[])[] = [
    ["RENAME", `k${n}`, `renamed${n}`],
    ["EVAL", "redis.call('SET', KEYS[1], 'x') redis.call('INCR', KEYS[2])", 2, `script${n}`, `count${n % 7}`],
    ["MULTI"],
    ["RPUSH", `queue${n}`, 1],
    ["SELECT", 3],
    ["LPUSH", `other${n}`, 2],
    ["SELECT", 0],
    ["INCR", `queued${n}`],
    ["EXEC"],
    ["SADD", `set${n}`, 1, 2, 3, n],
    ["SUNIONSTORE", `union${n}`, `set${n}`, `set${n >> 1}`],
    // what follows from a key that was touched is touched too
    ["APPEND", `renamed${n}`, "more"],
    ["COPY", `union${n}`, `{union${n}}copy`, "REPLACE"],
    ["COPY", `renamed${n}`, `copy${n}`, "DB", 3, "REPLACE"],
    ["SPOP", `set${n}`],
    ["MSET", `m${n}`, n, `n${n}`, n, `{m${n}}o`, n],
    ["MSETNX", `nx${n}`, n, `ny${n}`, n],
    ["DEL", `k${n + 100}`, `m${n >> 1}`, `n${n >> 1}`],
    ["BITOP", "NOT", `bits${n}`, `script${n}`],
    ["SET", `expires${n}`, n, "EX", 10_000],
    ["RENAME", `expires${n}`, `expiring${n}`],
    ["LMOVE", `queue${n}`, `moved${n}`, "LEFT", "RIGHT"],
    ["ZADD", `z${n}`, 1, "a"],
    ["ZUNIONSTORE", `zu${n}`, 2, `z${n}`, `z${n >> 1}`],
    ["SORT", `set${n}`, "STORE", `sorted${n}`],
  ];
  for (const outcome of await client.callAll(commands, "utf8")) if (outcome instanceof Error) throw outcome;
}

test("a database that is emptied while it is split is empty at all shards", async () => {
  await using source = await startEngine();
  for (let n = 0; n < 100; n++) await source.call("SET", `before${n}`, n);
  await using moved = await MovedShards.begin([source], { targets: 3 });
  await moved.following();
  await source.call("FLUSHALL");
  for (let n = 0; n < 50; n++) await source.call("SET", `after${n}`, n);
  await moved.finish();
  assert.equal(await assertMoved(moved, "stream"), 50);
});
