import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { Sharded } from "../sharded/sharded.ts";
import { libraries } from "./libraries.ts";
import { startRecorder } from "./recorders.ts";

const OPERATIONS = 200;
const { found, missing } = await libraries(["ioredis", "node-redis", "redis-py", "go-redis"]);

for (const library of found)
  test(`${library.name} reads and writes a database of four shards as one of one shard, with WATCH and MULTI`, async () => {
    await using sharded = await Sharded.start(4);
    await using client = startRecorder(library, sharded.endpoint.listen, "client");
    await until(
      `${OPERATIONS} operations`,
      () => client.operations.filter(({ end }) => end !== undefined).length >= OPERATIONS,
    );
    await client.stop();
    const done = new Set(client.operations.filter(({ end }) => end !== undefined).map(({ act }) => act.kind));
    // what begins with WATCH, and has a known end
    for (const kind of ["get", "set", "append", "read-list", "compare-and-set"] as const)
      assert.ok(done.has(kind), kind);
    assert.deepEqual(client.failures, []);
    assert.equal((await sharded.proxy.stats()).cut, 0);
  });

for (const why of missing) test(`a library is missing: ${why}`, { skip: true }, () => undefined);
