import assert from "node:assert/strict";
import { test } from "node:test";
import { startAgreedSites } from "../../../test/kit/links/agreed-sites.ts";
import { assertSameData } from "../../../test/kit/links/assert-same-data.ts";
import type { TestEngine } from "../../../test/kit/engines/engine.ts";
import { until } from "../../../test/kit/time/until.ts";

const PATIENCE = { withinMs: 60_000 };
const KEYS = 2_000;

/** What the engine says of itself there. */
async function infoOf(engine: TestEngine, field: string): Promise<number> {
  const text = String(await engine.call("INFO", "everything"));
  return Number(new RegExp(`^${field}:(\\d+)`, "m").exec(text)?.[1]);
}

await test("a key that a full site evicts is gone at all sites, and a later write brings it back at all", async () => {
  await using world = await startAgreedSites([], { sites: 2 });
  const [full, roomy] = world.engines;
  assert.ok(full !== undefined && roomy !== undefined);
  const most = (await infoOf(full, "used_memory")) + 1_500_000;
  await full.call("CONFIG", "SET", "maxmemory-policy", "volatile-lru");
  await full.call("CONFIG", "SET", "maxmemory", String(most));
  for (let number = 0; number < KEYS; number += 1) {
    const engine = number % 2 === 0 ? full : roomy;
    await engine.call("SET", `session:${number}`, "x".repeat(1_000), "EX", "10000");
    await engine.call("INCR", "written");
  }
  await until("the full site has evicted keys", async () => (await infoOf(full, "evicted_keys")) > 0, PATIENCE);
  await assertSameData(world, []);
  assert.equal(Number(await roomy.call("GET", "written")), KEYS, "no key without a time is evicted");
  assert.ok(Number(await roomy.call("DBSIZE")) < KEYS, "they are gone where there is room, too");
  await full.call("CONFIG", "SET", "maxmemory", "0");
  for (let number = 0; number < KEYS; number += 1) await roomy.call("SET", `session:${number}`, "again");
  await assertSameData(world, []);
  assert.ok(Number(await full.call("DBSIZE")) >= KEYS + 1);
});
