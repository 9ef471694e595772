import assert from "node:assert/strict";
import { test } from "node:test";
import { parseInfo } from "../../../../ports/resp/info.ts";
import { shardMetrics, sumOf } from "./metrics.ts";

test("a shard has the metrics that its engine reports, and no other", () => {
  const info = parseInfo(
    "used_memory:1000\r\ninstantaneous_ops_per_sec:7\r\nmem_fragmentation_ratio:1.5\r\nredis_mode:x",
  );
  assert.deepEqual(shardMetrics(info), {
    used_memory: 1000,
    total_req: 7,
    mem_frag_ratio: 1.5,
    no_of_keys: 0,
    no_of_expires: 0,
  });
});

test("keys are counted over all numbered databases of an engine", () => {
  const metrics = shardMetrics(parseInfo("db0:keys=3,expires=1,avg_ttl=0\r\ndb12:keys=4,expires=2,avg_ttl=9"));
  assert.deepEqual([metrics["no_of_keys"], metrics["no_of_expires"]], [7, 3]);
});

test("a sum is over those that report a metric, and absent when none does", () => {
  assert.deepEqual(sumOf([{ a: 1, b: 2 }, { a: 3 }], ["a", "b", "c"]), { a: 4, b: 2 });
});
