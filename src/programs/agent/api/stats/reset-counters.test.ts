import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames, startEngine, type TestEngine } from "../../../../../test/kit/engines/engine.ts";
import { parseInfo } from "../../../../ports/resp/info.ts";
import { textOf } from "../../../../ports/resp/reply.ts";
import { shardMetrics, type MetricValues } from "./metrics.ts";

/** A rate, which begins anew. */
const RATE = "total_req";
/** What changes at any time, reset or not. */
const MOVING = ["used_memory", "used_memory_rss", "mem_frag_ratio", "used_memory_peak"];

for (const engine of engineNames())
  test(`${engine}: CONFIG RESETSTAT changes no metric of a database but the rate of its requests`, async () => {
    await using started = await startEngine({ engine });
    for (let i = 0; i < 100; i++) await started.call("SET", `k${i}`, "x".repeat(10_000), "EX", 1000);
    await started.call("DEL", "k1");
    const before = await metricsOf(started);
    await started.call("CONFIG", "RESETSTAT");
    const after = await metricsOf(started);
    const steady = (metrics: MetricValues): MetricValues =>
      Object.fromEntries(Object.entries(metrics).filter(([name]) => name !== RATE && !MOVING.includes(name)));
    assert.deepEqual(steady(after), steady(before));
    assert.equal(before["no_of_keys"], 99);
    assert.ok((after["used_memory_peak"] ?? 0) >= (before["used_memory_peak"] ?? 0));
  });

async function metricsOf(engine: TestEngine): Promise<MetricValues> {
  return shardMetrics(parseInfo(textOf(await engine.call("INFO"))));
}
