import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { engineNames, startEngine } from "../../../test/kit/engines/engine.ts";
import { suspend } from "../../../test/kit/engines/suspend.ts";
import { MovedShards } from "../../../test/kit/mover/moved-shards.ts";

for (const engine of engineNames())
  test(`a key that expires while its new shard of ${engine} is late is gone there, although it was counted up before`, async () => {
    await using source = await startEngine({ engine });
    await using moved = await MovedShards.begin([source], { targets: 1, engine });
    const [target] = moved.targets;
    assert.ok(target !== undefined);
    await moved.following();
    const client = await source.connect();
    {
      using _late = await suspend(target);
      // together, before it can have expired: the stream has no word of its end, and this engine writes none while it is paused
      await client.callAll(
        [
          ["SET", "n", 5, "PX", 300],
          ["INCR", "n"],
          ["CLIENT", "PAUSE", 60_000, "WRITE"],
        ],
        "latin1",
      );
      await until("it has expired", async () => (await source.call("EXISTS", "n")) === 0);
    }
    client.close();
    await moved.finish();
    assert.deepEqual([await target.call("GET", "n"), await target.call("EXISTS", "n")], [null, 0]);
  });
