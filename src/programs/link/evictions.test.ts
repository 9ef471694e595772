import assert from "node:assert/strict";
import { test } from "node:test";
import { execute, startAgreedSites } from "../../../test/kit/links/agreed-sites.ts";
import { assertSameData } from "../../../test/kit/links/assert-same-data.ts";
import type { TestEngine } from "../../../test/kit/engines/engine.ts";
import { until } from "#kit/testing/until";

const PATIENCE = { withinMs: 60_000 };
const KEYS = 1_000;

/** What the engine says of itself there. */
async function infoOf(engine: TestEngine, field: string): Promise<number> {
  const text = String(await engine.call("INFO", "everything"));
  return Number(new RegExp(`^${field}:(\\d+)`, "m").exec(text)?.[1]);
}

await test("a key that a full site evicts is gone at all sites, and a later write brings it back at all", async () => {
  const names = Array.from({ length: KEYS }, (_, number) => `session:${number}`);
  const made = names.map((name) => `SET ${name} ${"x".repeat(1_000)} EX 10000`);
  await using world = await startAgreedSites(["SET kept v", ...made], { sites: 2 });
  const [full, roomy] = world.engines;
  assert.ok(full !== undefined && roomy !== undefined);
  await full.call("CONFIG", "SET", "maxmemory-policy", "volatile-lru");
  await full.call("CONFIG", "SET", "maxmemory", String((await infoOf(full, "used_memory")) - 200_000));
  const isFull = async (): Promise<boolean> => {
    // what the other site writes needs memory here, too
    await roomy.call("SET", "more", "y".repeat(10_000), "EX", "10000");
    return (await infoOf(full, "evicted_keys")) >= 50;
  };
  await until("the full site has evicted keys", isFull, PATIENCE);
  await full.call("CONFIG", "SET", "maxmemory", "0");
  await assertSameData(world, []);
  assert.ok(Number(await roomy.call("EXISTS", ...names)) < KEYS, "they are gone where there is room, too");
  assert.equal(await roomy.call("EXISTS", "kept"), 1, "no key without a time is evicted");
  await execute(
    roomy,
    names.map((name) => `SET ${name} again`),
  );
  await assertSameData(world, []);
  assert.equal(await full.call("EXISTS", ...names), KEYS);
});
