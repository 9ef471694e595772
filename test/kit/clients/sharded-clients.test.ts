import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { Sharded } from "../sharded/sharded.ts";
import { libraries } from "./libraries.ts";
import { startRecorder } from "./recorders.ts";

const OPERATIONS = 200;
const { found, missing } = await libraries(["ioredis", "node-redis", "redis-py", "go-redis"]);

for (const library of found)
  test(`${library.name} reads and writes a database of four shards as one of one shard, but for WATCH`, async () => {
    await using sharded = await Sharded.start(4);
    await using client = startRecorder(library, sharded.endpoint.listen, "client");
    await until(
      `${OPERATIONS} operations`,
      () => client.operations.filter(({ end }) => end !== undefined).length >= OPERATIONS,
    );
    await client.stop();
    const [done, unknown] = [true, false].map((isDone) =>
      client.operations.filter(({ end }) => (end !== undefined) === isDone).map(({ act }) => act.kind),
    );
    for (const kind of ["get", "set", "append", "read-list"] as const) assert.ok(done?.includes(kind), kind);
    // an exchange begins with WATCH
    assert.deepEqual(new Set(unknown), new Set(["exchange"]));
    assert.equal(client.failures.length, unknown?.length, client.failures.join("\n"));
    assert.equal((await sharded.proxy.stats()).cut, 0);
  });

for (const why of missing) test(`a library is missing: ${why}`, { skip: true }, () => undefined);
