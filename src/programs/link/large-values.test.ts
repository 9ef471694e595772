import assert from "node:assert/strict";
import { test } from "node:test";
import { assertSameData } from "../../../test/kit/links/assert-same-data.ts";
import { startLinkedSites } from "../../../test/kit/links/linked-sites.ts";
import { until } from "../../../test/kit/time/until.ts";

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
