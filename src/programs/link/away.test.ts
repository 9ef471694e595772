import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestEngine } from "../../../test/kit/engines/engine.ts";
import { assertSameData } from "../../../test/kit/links/assert-same-data.ts";
import { startLinkedSites, type LinkedSites } from "../../../test/kit/links/linked-sites.ts";
import { startEngineLoad } from "../../../test/kit/merge/engine-load.ts";
import { until } from "#kit/testing/until";

/** `LINK_SEED` and `LINK_WRITES` choose others. */
const SEED = Number(process.env["LINK_SEED"] ?? Date.now() % 100_000);
const WRITES = Number(process.env["LINK_WRITES"] ?? 2_000);
const PATIENCE = { withinMs: 60_000 };
/** Together more than a site keeps for another one here. */
const [VALUES, VALUE_BYTES] = [200, 5_000];
const KEPT = { keptBytes: 262_144 };

await test(`sites that were apart for longer than operations are kept end with the same data (LINK_SEED=${SEED})`, async () => {
  await using world = await startLinkedSites(KEPT);
  await until("all are linked", () => world.areUp(), PATIENCE);
  const load = startEngineLoad(world.engines, SEED);
  await until("clients write", () => load.written() > WRITES / 3, PATIENCE);
  world.cut(3);
  await until("they write at both sides of the cut", () => load.written() > (2 * WRITES) / 3, PATIENCE);
  const before = await Promise.all(world.engines.map(usedBytes));
  for (const site of [1, 3]) await writeMuch(world, site);
  // what is beyond the limit goes soon after it was written, and not in the same moment
  for (const [at, engine] of world.engines.entries()) {
    const isLittle = async (): Promise<boolean> =>
      (await usedBytes(engine)) - (before[at] ?? 0) < 2 * VALUES * VALUE_BYTES;
    await until(`engine ${at + 1} keeps little`, isLittle, PATIENCE);
  }
  world.heal();
  await until("they write after it", () => load.written() > WRITES, PATIENCE);
  await assertSameData(world, await load.finish());
  // the second one has what the first one wrote, and may reach the third one before it
  assert.ok(summaries(world, 1) + summaries(world, 2) > 0, "the third site got a summary");
  assert.ok(summaries(world, 3) > 0, "and has given one");
});

await test(`links that are killed while they give and take summaries lose and double nothing (LINK_SEED=${SEED})`, async () => {
  await using world = await startLinkedSites({ ...KEPT, sites: 2, latencyMs: 80 });
  await until("all are linked", () => world.areUp(), PATIENCE);
  const load = startEngineLoad(world.engines, SEED);
  await until("clients write", () => load.written() > WRITES / 3, PATIENCE);
  for (const killed of [1, 2]) {
    world.cut(2);
    for (const site of [1, 2]) await writeMuch(world, site);
    await world.engines[0]?.call("EVAL", "for i = 1, 3000 do redis.call('INCR', 'many:' .. i) end", 0);
    const before = summaries(world, killed);
    world.heal();
    await until("a summary is on its way", () => summaries(world, killed) > before, PATIENCE);
    await world.restartLink(killed);
  }
  await assertSameData(world, await load.finish());
  assert.equal(await world.engines[1]?.call("GET", "many:3000"), "2");
});

async function writeMuch({ sites }: LinkedSites, site: number): Promise<void> {
  const value = "x".repeat(VALUE_BYTES);
  for (let at = 0; at < VALUES; at += 1) await sites[site - 1]?.engine.call("SET", `much:${at % 20}`, `${at}${value}`);
}

async function usedBytes(engine: TestEngine): Promise<number> {
  return Number(/used_memory_dataset:(\d+)/.exec(String(await engine.call("INFO", "memory")))?.[1]);
}

/** How many the link of the site has given since it began. */
function summaries({ sites }: LinkedSites, site: number): number {
  return sites[site - 1]?.link.lines.filter((line) => line.includes("gets a summary")).length ?? 0;
}
