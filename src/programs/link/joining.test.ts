import assert from "node:assert/strict";
import { test } from "node:test";
import { assertSameData } from "../../../test/kit/links/assert-same-data.ts";
import { startLinkedSites, type LinkedSites } from "../../../test/kit/links/linked-sites.ts";
import { startEngineLoad } from "../../../test/kit/merge/engine-load.ts";
import { until } from "#kit/testing/until";

/** `LINK_SEED` and `LINK_WRITES` choose others. */
const SEED = Number(process.env["LINK_SEED"] ?? Date.now() % 100_000);
const WRITES = Number(process.env["LINK_WRITES"] ?? 2_000);
const KEYS = 40_000;
const PATIENCE = { withinMs: 60_000 };
/** For what holds only while a transfer runs. */
const CLOSELY = { ...PATIENCE, everyMs: 5 };

await test(`a site that has lost all gets it from another one, while clients write there (LINK_SEED=${SEED})`, async () => {
  await using world = await startLinkedSites();
  await until("all are linked", () => world.areUp(), PATIENCE);
  const before = startEngineLoad(world.engines, SEED);
  await until("clients write", () => before.written() > WRITES, PATIENCE);
  const counters = await before.finish();
  await assertSameData(world, counters);
  const others = world.sites.filter(({ id }) => id !== 2).map(({ engine }) => engine);
  const during = startEngineLoad(others, SEED + 1);
  await world.lose(2);
  await until("the site has what the others have", () => hasJoined(world, 2), PATIENCE);
  const after = startEngineLoad(
    world.sites.map(({ engine }) => engine),
    SEED + 2,
  );
  await until("clients write everywhere", () => after.written() > WRITES / 2, PATIENCE);
  const more = [await during.finish(), await after.finish()].flat();
  const sums = counters.map(({ key, sum }) => ({
    key,
    sum: more.filter((one) => one.key === key).reduce((total, one) => total + one.sum, sum),
  }));
  await assertSameData(world, sums);
});

await test("a transfer that is cut off, or whose link is killed, begins anew", async () => {
  await using world = await startLinkedSites({ sites: 2 });
  await until("all are linked", () => world.areUp(), PATIENCE);
  const [first] = world.engines;
  await first?.call("EVAL", `for i = 1, ${KEYS} do redis.call('SET', 'key:' .. i, string.rep('x', 100)) end`, 0);
  await until("all is at the other one", () => hasKeys(world, 2, KEYS), PATIENCE);
  await world.lose(2);
  const isGiving = async (): Promise<boolean> => {
    const { state, cause } = await linkOf(world, 1);
    return state === "syncing" && cause === "It gets all data from this site." && (await hasKeys(world, 2, 1));
  };
  await until("a part is there, and the giver says so", isGiving, CLOSELY);
  world.cut(2);
  await until("it says why it waits", async () => /data of the other sites/.test(await troubleOf(world, 2)), PATIENCE);
  assert.equal(await hasJoined(world, 2), false);
  world.heal();
  await until("a part is there", () => hasKeys(world, 2, 1), CLOSELY);
  await world.restartLink(2);
  await until("the site has what the other one has", () => hasJoined(world, 2), PATIENCE);
  assert.equal(await world.sites[1]?.engine.call("DBSIZE"), KEYS);
});

await test("two sites that have lost all get it from a third one, and wait for each other", async () => {
  await using world = await startLinkedSites();
  await until("all are linked", () => world.areUp(), PATIENCE);
  await world.engines[1]?.call("SADD", "members", "1", "2");
  const arrived = async (): Promise<boolean> => (await world.engines[0]?.call("SCARD", "members")) === 2;
  await until("it is at another one", arrived, PATIENCE);
  await world.lose(2, 3);
  await until("both have it", async () => (await hasJoined(world, 2)) && (await hasJoined(world, 3)), PATIENCE);
  for (const { engine } of world.sites) assert.equal(await engine.call("SCARD", "members"), 2);
  await world.sites[1]?.engine.call("SREM", "members", "1");
  await assertSameData(world, []);
});

await test("sites that have all lost all begin with nothing", async () => {
  await using world = await startLinkedSites({ sites: 2 });
  await until("all are linked", () => world.areUp(), PATIENCE);
  await world.lose(1, 2);
  await until("both begin", async () => (await hasJoined(world, 1)) && (await hasJoined(world, 2)), PATIENCE);
  await world.sites[0]?.engine.call("SET", "a", "1");
  await assertSameData(world, []);
});

await test("a site that has lost all waits for every other one, and names those that do not answer", async () => {
  await using world = await startLinkedSites();
  await until("all are linked", () => world.areUp(), PATIENCE);
  await world.engines[0]?.call("SET", "a", "1");
  world.cut(3);
  await world.lose(2);
  await until("it names the third one", async () => /site-3: /.test(await troubleOf(world, 2)), PATIENCE);
  assert.doesNotMatch(await troubleOf(world, 2), /site-1/);
  world.heal();
  await until("it has what the others have", () => hasJoined(world, 2), PATIENCE);
  await assertSameData(world, []);
});

async function hasJoined(world: LinkedSites, site: number): Promise<boolean> {
  return (await world.sites[site - 1]?.link.status())?.[0]?.hasJoined === true;
}

async function troubleOf(world: LinkedSites, site: number): Promise<string> {
  return (await world.sites[site - 1]?.link.status())?.[0]?.engine ?? "";
}

/** What a site says of its link to the only other one. */
async function linkOf(world: LinkedSites, site: number) {
  const [database] = (await world.sites[site - 1]?.link.status()) ?? [];
  const [{ state, cause } = {}] = database?.sites ?? [];
  return { state, cause };
}

async function hasKeys(world: LinkedSites, site: number, count: number): Promise<boolean> {
  return Number(await world.sites[site - 1]?.engine.call("DBSIZE")) >= count;
}
