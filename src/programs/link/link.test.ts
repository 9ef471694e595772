import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestEngine } from "../../../test/kit/engines/engine.ts";
import { assertSameData } from "../../../test/kit/links/assert-same-data.ts";
import { startLinkedSites } from "../../../test/kit/links/linked-sites.ts";
import { startEngineLoad } from "../../../test/kit/merge/engine-load.ts";
import { until } from "#kit/testing/until";

/** `LINK_SEED` and `LINK_WRITES` choose others. */
const SEED = Number(process.env["LINK_SEED"] ?? Date.now() % 100_000);
const WRITES = Number(process.env["LINK_WRITES"] ?? 3_000);
const PATIENCE = { withinMs: 60_000 };

await test(`sites that are written at once, one cut off for a while, end with the same data (LINK_SEED=${SEED})`, async () => {
  await using world = await startLinkedSites();
  await until("all are linked", () => world.areUp(), PATIENCE);
  const load = startEngineLoad(world.engines, SEED);
  await until("clients write", () => load.written() > WRITES / 3, PATIENCE);
  world.cut(3);
  await until("they write at both sides of the cut", () => load.written() > (2 * WRITES) / 3, PATIENCE);
  world.heal();
  await until("they write after it", () => load.written() > WRITES, PATIENCE);
  await assertSameData(world, await load.finish());
  for (const { link } of world.sites)
    await until("its clients may be let in", async () => (await link.status())[0]?.hasJoined === true, PATIENCE);
});

await test(`links that are killed again and again lose and double nothing (LINK_SEED=${SEED})`, async () => {
  await using world = await startLinkedSites();
  await until("all are linked", () => world.areUp(), PATIENCE);
  const load = startEngineLoad(world.engines, SEED);
  for (const part of [1, 2, 3, 4, 5]) {
    await until("clients write", () => load.written() > (part * WRITES) / 5, PATIENCE);
    await world.restartLink(1 + (part % 3));
  }
  for (const { engine } of world.sites)
    await until("a checkpoint has taken the place of a log", () => isSaved(engine), PATIENCE);
  await world.restartLink(1);
  await assertSameData(world, await load.finish());
});

await test("a primary that starts again from its disk, and whose stream is another one, says what it holds", async () => {
  await using world = await startLinkedSites({ keepsData: "unread" });
  await until("all are linked", () => world.areUp(), PATIENCE);
  const load = startEngineLoad(world.engines, SEED);
  await until("clients write", () => load.written() > WRITES / 3, PATIENCE);
  await load.finish();
  await world.engines[0]?.call("SET", "known", "1");
  await until("it is at the other one", async () => (await world.engines[1]?.call("GET", "known")) === "1", PATIENCE);
  world.cut(3); // nothing is agreed on meanwhile
  await world.engines[0]?.call("SET", "known", "2");
  await world.engines[0]?.call("SET", "gone", "2");
  await until("it is at the other one", async () => (await world.engines[1]?.call("GET", "gone")) === "2", PATIENCE);
  await world.restartEngine(2, async (engine) => {
    await engine.call("SET", "unseen", "1");
    await engine.call("SET", "known", "3");
    await engine.call("DEL", "gone");
  });
  world.heal();
  await until("all are linked", () => world.areUp(), PATIENCE);
  await assertSameData(world, []);
  for (const { engine } of world.sites)
    assert.deepEqual(await engine.call("MGET", "unseen", "known", "gone"), ["1", "3", null]);
});

await test("a site that is taken out is not waited for any more, and what it wrote stays", async () => {
  await using world = await startLinkedSites();
  await until("all are linked", () => world.areUp(), PATIENCE);
  const load = startEngineLoad(world.engines, SEED);
  await until("clients write", () => load.written() > WRITES / 5, PATIENCE);
  const counters = await load.finish();
  await assertSameData(world, counters);
  world.cut(3);
  await world.engines[0]?.call("SET", "while", "away");
  await world.remove(3);
  await until("the others are linked", () => world.areUp(), PATIENCE);
  await assertSameData(world, counters);
});

await test("a site that begins with nothing in a database with data is refused, with the reason", async () => {
  await using world = await startLinkedSites({ sites: 2 });
  await until("all are linked", () => world.areUp(), PATIENCE);
  await world.engines[0]?.call("SET", "a", "1");
  await until("it is at the other one", async () => (await world.engines[1]?.call("GET", "a")) === "1", PATIENCE);
  await assertSameData(world, []);
  await world.restartEngine(2, async (engine) => void (await engine.call("FLUSHALL")));
  const causes = async (): Promise<readonly string[]> =>
    ((await world.sites[0]?.link.status()) ?? []).flatMap(({ sites }) => sites.map(({ cause }) => cause));
  await until(
    "the first one says why",
    async () => (await causes()).some((cause) => /no longer keep/.test(cause)),
    PATIENCE,
  );
  assert.equal(await world.engines[0]?.call("GET", "a"), "1");
});

await test("an engine whose memory is used up takes what other sites wrote when there is room again, and says so until then", async () => {
  await using world = await startLinkedSites({ sites: 2 });
  await until("all are linked", () => world.areUp(), PATIENCE);
  const [first, second] = world.engines;
  assert.ok(first !== undefined && second !== undefined);
  await second.call("RPUSH", "list:a", "1", "2", "3");
  await until("it is at the other one", async () => (await first.call("LLEN", "list:a")) === 3, PATIENCE);
  await second.call("CONFIG", "SET", "maxmemory", "1");
  await first.call("SET", "a", "1");
  await second.call("LPOP", "list:a");
  const refusal = async (): Promise<string> => (await world.sites[1]?.link.status())?.[0]?.engine ?? "";
  await until("it says why", async () => /^OOM /.test(await refusal()), PATIENCE);
  await second.call("CONFIG", "SET", "maxmemory", "0");
  await assertSameData(world, []);
  assert.deepEqual([await second.call("GET", "a"), await first.call("LLEN", "list:a")], ["1", 2]);
  await until("it says so no more", async () => (await refusal()) === "", PATIENCE);
});

await test("a node without the primary passes links on to the node that has it", async () => {
  await using world = await startLinkedSites({ sites: 2, behindAnother: [2] });
  await until("all are linked", () => world.areUp(), PATIENCE);
  const load = startEngineLoad(world.engines, SEED);
  await until("clients write", () => load.written() > WRITES / 5, PATIENCE);
  await assertSameData(world, await load.finish());
});

await test("a link that another authority has signed for, or that has another name, is sent away", async () => {
  await using world = await startLinkedSites({ sites: 2, strangers: [2] });
  const causes = async (): Promise<readonly string[]> => {
    const all = (await Promise.all(world.sites.map(({ link }) => link.status()))).flat();
    return all.flatMap(({ sites }) => sites.map(({ cause }) => cause));
  };
  await until(
    "both say why",
    async () => (await causes()).every((cause) => /certificate|authorit/i.test(cause)),
    PATIENCE,
  );
  await world.engines[1]?.call("SET", "a", "1");
  await world.engines[0]?.call("SET", "b", "1");
  assert.equal(await world.areUp(), false);
  assert.deepEqual(await Promise.all(world.engines.map((engine) => engine.call("DBSIZE"))), [1, 1]);
});

await test(`a primary that dies is succeeded by its replica, and nothing that sites have learned is lost or doubled (LINK_SEED=${SEED})`, async () => {
  await using world = await startLinkedSites({ withReplicas: true });
  await until("all are linked", () => world.areUp(), PATIENCE);
  const load = startEngineLoad(world.engines, SEED);
  await until("clients write", () => load.written() > WRITES / 3, PATIENCE);
  const counters = await load.finish();
  await world.promoteReplica(2);
  const after = startEngineLoad(
    world.sites.map(({ engine }) => engine),
    SEED + 1,
  );
  await until("clients write", () => after.written() > WRITES / 3, PATIENCE);
  const more = await after.finish();
  await assertSameData(
    world,
    counters.map(({ key, sum }, index) => ({ key, sum: sum + (more[index]?.sum ?? 0) })),
  );
});

await test("two sites that do not reach each other converge through a third one", async () => {
  await using world = await startLinkedSites();
  await until("all are linked", () => world.areUp(), PATIENCE);
  world.cut(1, 2);
  const [first, second] = world.engines;
  assert.ok(first !== undefined && second !== undefined);
  await first.call("SET", "a", "1");
  await second.call("SADD", "b", "2");
  const arrived = async (): Promise<boolean> =>
    (await second.call("GET", "a")) === "1" && (await first.call("SISMEMBER", "b", "2")) === 1;
  await until("each has what the other wrote", arrived, PATIENCE);
});

async function isSaved(engine: TestEngine): Promise<boolean> {
  return (await engine.call("EVAL", "redis.call('SELECT', 15) return redis.call('HLEN', 'site:checkpoint')", 0)) === 2;
}
