import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { engineNames, startEngine } from "../../../test/kit/engines/engine.ts";
import { MovedShards } from "../../../test/kit/mover/moved-shards.ts";
import { parseInfo } from "../../ports/resp/info.ts";
import { textOf } from "../../ports/resp/reply.ts";

for (const engine of engineNames())
  test(`a replica of a new shard of ${engine} goes on with it when it is promoted, and is not copied anew`, async () => {
    await using source = await startEngine({ engine });
    await using replica = await startEngine({ engine });
    await source.call("SET", "before", "value");
    await using moved = await MovedShards.begin([source], { targets: 1, engine });
    const [target] = moved.targets;
    assert.ok(target !== undefined);
    await moved.following();
    await replica.follow(target);
    await source.call("SET", "meanwhile", "value");
    await moved.finish();
    await target.call("SET", "after", "value");
    const hasAll = async (): Promise<boolean> =>
      (await replica.replication()).offset >= (await target.replication()).offset;
    await until("the replica has all", hasAll);
    assert.deepEqual(await replica.call("MGET", "before", "meanwhile", "after"), ["value", "value", "value"]);
    assert.equal(parseInfo(textOf(await target.call("INFO", "stats"))).get("sync_full"), "1");
  });
