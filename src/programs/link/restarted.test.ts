import assert from "node:assert/strict";
import { test } from "node:test";
import { assertSameData } from "../../../test/kit/links/assert-same-data.ts";
import { startLinkedSites } from "../../../test/kit/links/linked-sites.ts";
import type { TestEngine } from "../../../test/kit/engines/engine.ts";
import { until } from "#kit/testing/until";

const PATIENCE = { withinMs: 60_000 };

async function additions(engine: TestEngine): Promise<number> {
  const stats = String(await engine.call("INFO", "commandstats"));
  return Number(/cmdstat_sadd:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

await test("a link that starts again writes no key that two sites have written, when no client wrote it meanwhile", async () => {
  await using world = await startLinkedSites();
  await until("all are linked", () => world.areUp(), PATIENCE);
  const [first, second, third] = world.engines;
  if (first === undefined || second === undefined || third === undefined) throw new Error("three sites");
  world.cut(3); // so nothing is agreed on, and the other two remember what they wrote
  await first.call("SADD", "k", "a");
  await second.call("SADD", "k", "b");
  for (const engine of [first, second])
    await until("both members are there", async () => (await engine.call("SCARD", "k")) === 2, PATIENCE);
  const before = await additions(first);
  await world.restartLink(1);
  await second.call("SADD", "k", "c");
  await until("the next member comes", async () => (await first.call("SISMEMBER", "k", "c")) === 1, PATIENCE);
  assert.equal(await additions(first), before + 1);
  world.heal();
  await assertSameData(world, []);
  assert.deepEqual(new Set(String(await third.call("SMEMBERS", "k")).split(",")), new Set(["a", "b", "c"]));
});
