import assert from "node:assert/strict";
import { test } from "node:test";
import { execute, startAgreedSites } from "../../../test/kit/links/agreed-sites.ts";
import { assertSameData } from "../../../test/kit/links/assert-same-data.ts";
import { startLinkedSites } from "../../../test/kit/links/linked-sites.ts";
import { until } from "#kit/testing/until";

const PATIENCE = { withinMs: 60_000 };
const FILL = `for i = 1, 4000 do redis.call('SADD', 'set', i) redis.call('HSET', 'hash', i, 'v' .. i) redis.call('ZADD', 'zset', i / 3, i) end`;

test("a site gives large values part by part to one that has lost all, also while clients change them", async () => {
  await using world = await startLinkedSites({ sites: 2 });
  await until("both are linked", () => world.areUp(), PATIENCE);
  const [giver] = world.sites;
  assert.ok(giver !== undefined);
  await giver.engine.call("EVAL", FILL, 0);
  await giver.engine.call("SET", "string", "x".repeat(600_000));
  const counts = (): Promise<readonly unknown[]> =>
    Promise.all(["SCARD set", "HLEN hash", "ZCARD zset", "STRLEN string"].map((words) => askOf(2, words)));
  const askOf = async (site: number, words: string): Promise<unknown> =>
    world.sites.find(({ id }) => id === site)?.engine.call(...words.split(" "));
  // one member of the set comes and goes
  const hasAll = async (): Promise<boolean> => /^\[400[01],4000,4000,600000\]$/.test(JSON.stringify(await counts()));
  await until("all is at the other one", hasAll, PATIENCE);
  await giver.engine.call("CONFIG", "RESETSTAT");
  await world.lose(2);
  for (let n = 0; !(await hasAll()); n += 1) await giver.engine.call(n % 2 === 0 ? "SADD" : "SREM", "set", "busy");
  await giver.engine.call("SREM", "set", "busy");
  await assertSameData(world, []);
  const stats = String(await giver.engine.call("INFO", "commandstats"));
  for (const command of ["watch", "sscan", "hscan", "getrange"])
    assert.match(stats, new RegExp(`cmdstat_${command}:`), command);
});

const HIGHEST = "9223372036854775807";
const LOWEST = "-9223372036854775808";

await test("a sum that no engine can hold is the last number there is, at every site, and later increments count from there", async () => {
  const agreed = ["SET high 9223372036854775800", "HSET hash field -9223372036854775800 other 1"];
  await using world = await startAgreedSites(agreed, { sites: 2 });
  const [first, second] = world.engines;
  world.cut(2);
  await execute(first, ["INCRBY high 3", "HINCRBY hash field -3", "HINCRBY hash other 1"]);
  await execute(second, ["INCRBY high 7", "HINCRBY hash field -7"]);
  world.heal();
  for (const engine of world.engines) {
    const isHighest = async (): Promise<boolean> => (await engine.call("GET", "high")) === HIGHEST;
    await until("the sum is the highest number", isHighest, PATIENCE);
    const isLowest = async (): Promise<boolean> => (await engine.call("HGET", "hash", "field")) === LOWEST;
    await until("the sum of the field is the lowest number", isLowest, PATIENCE);
  }
  await assertSameData(world, []);
  await execute(first, ["DECRBY high 7", "HINCRBY hash field 8"]);
  const isLess = async (): Promise<boolean> => (await second?.call("GET", "high")) === "9223372036854775800";
  await until("what is subtracted arrives", isLess, PATIENCE);
  await assertSameData(world, []);
  assert.deepEqual(await second?.call("HMGET", "hash", "field", "other"), ["-9223372036854775800", "2"]);
});
