import assert from "node:assert/strict";
import { test } from "node:test";
import { startSlicedSites, type SlicedSite, type SlicedSites } from "../../../test/kit/links/sliced-sites.ts";
import { commandOf, type Command } from "../../../test/kit/merge/commands.ts";
import { differences } from "../../../test/kit/merge/digest.ts";
import { seededDice } from "../../../test/kit/world/chaos.ts";
import { until } from "#kit/testing/until";
import { keysOf } from "../../core/slots/keys-of.ts";

/** `LINK_SEED` chooses another. */
const SEED = Number(process.env["LINK_SEED"] ?? Date.now() % 100_000);
const PATIENCE = { withinMs: 60_000 };

await test(`sites of one, two and three shards that are written at once, with links that are killed, end with the same data (LINK_SEED=${SEED})`, async () => {
  await using world = await startSlicedSites(6, [1, 2, 3]);
  await until("all are linked", () => world.areUp(), PATIENCE);
  const load = startLoad(world, SEED);
  await until("clients write", () => load.written() > 500, PATIENCE);
  world.ways.cut(3, undefined);
  await world.restartLink(2, 0);
  await until("they write at both sides of the cut", () => load.written() > 1_000, PATIENCE);
  world.ways.mend();
  await world.restartLink(1, 0);
  await world.restartLink(3, 2);
  await until("they write after it", () => load.written() > 1_500, PATIENCE);
  await load.finish();
  await assertSame(world);
  for (const { id, digest } of world.sites)
    for (const [key, sum] of load.sums)
      assert.ok((await digest()).includes(`${key} string ${sum} -1`), `site ${id}: ${key} is ${sum}`);
});

await test("a flush removes the keys of its own slice alone, at a shard that has several, and what is written meanwhile stays", async () => {
  await using world = await startSlicedSites(4, [1, 4]);
  await until("all are linked", () => world.areUp(), PATIENCE);
  const [one, four] = [siteOf(world, 1), siteOf(world, 2)];
  for (let number = 0; number < 200; number += 1) await one.ask(`k${number}`, "SET", `k${number}`, "v");
  await assertSame(world);
  await until(
    "all have agreed",
    async () => (await world.status()).every(({ knownKeys }) => knownKeys === 0),
    PATIENCE,
  );
  const first = four.engineOf("k1");
  await first.call("FLUSHDB");
  await assertSame(world);
  const left = (await one.digest()).map((line) => line.split(" ")[0] ?? "");
  assert.ok(left.length > 0 && left.length < 200);
  assert.deepEqual(
    left.filter((key) => four.engineOf(key) === first),
    [],
  );
  await one.ask("k1", "FLUSHDB");
  await one.ask("after", "SET", "after", "v");
  await assertSame(world);
  assert.deepEqual(await four.digest(), ["after string v -1"]);
});

await test("a site of two shards that has lost everything gets it back from one of three, slice by slice", async () => {
  await using world = await startSlicedSites(6, [2, 3]);
  await until("all are linked", () => world.areUp(), PATIENCE);
  const [two, three] = [siteOf(world, 1), siteOf(world, 2)];
  for (let number = 0; number < 100; number += 1) await two.ask(`k${number}`, "INCRBY", `k${number}`, String(number));
  await assertSame(world);
  await world.lose(1);
  for (let number = 0; number < 100; number += 1) await three.ask(`k${number}`, "INCR", `k${number}`);
  await until(
    "its clients may be let in",
    async () => (await world.status()).every(({ hasJoined }) => hasJoined),
    PATIENCE,
  );
  await assertSame(world);
  assert.equal(await two.ask("k7", "GET", "k7"), "8");
});

function siteOf(world: SlicedSites, id: number): SlicedSite {
  const site = world.sites[id - 1];
  assert.ok(site !== undefined);
  return site;
}

/** Random commands at every site; one whose keys are at several shards goes only where one has them all. */
function startLoad({ sites }: SlicedSites, seed: number) {
  const sums = new Map<string, number>();
  let [written, isOver] = [0, false];
  const run = async (site: SlicedSite, command: Command): Promise<void> => {
    const [name, key = "", by] = command;
    const words = { length: command.length, wordAt: (at: number) => command[at] ?? "" };
    const engines = new Set(keysOf(name, words)?.map((at) => site.engineOf(command[at] ?? "")));
    const [engine] = engines;
    if (engine === undefined || engines.size > 1) return;
    const reply = engine.call(...command);
    const isCounted = name === "INCRBY" && key.startsWith("count:");
    // a key of another type refuses
    await (isCounted ? reply : reply.catch(() => undefined));
    written += 1;
    if (isCounted) sums.set(key, (sums.get(key) ?? 0) + Number(by));
  };
  const writers = sites.map(async (site) => {
    const dice = seededDice(seed + site.id);
    while (!isOver) await Promise.all(Array.from({ length: 10 }, () => run(site, commandOf(dice))));
  });
  const running = Promise.all(writers);
  running.catch(() => undefined); // where a test fails first its engines end, and that is not what it failed for
  return {
    sums,
    written: () => written,
    async finish(): Promise<void> {
      isOver = true;
      await running;
    },
  };
}

/** All sites hold the same, and none remembers anything. */
async function assertSame({ sites, status }: SlicedSites): Promise<void> {
  const digests = () => Promise.all(sites.map((site) => site.digest()));
  await until("all sites hold the same", async () => differences(await digests()).length === 0, PATIENCE).catch(
    async (error: unknown) => {
      const lines = sites.flatMap(({ id, shards }) =>
        shards.flatMap(({ link }, at) => link.lines.slice(-4).map((line) => `${id}.${at}: ${line}`)),
      );
      throw new Error([...differences(await digests()), ...lines].join("\n"), { cause: error });
    },
  );
  await until(
    "no site remembers a key",
    async () => (await status()).every(({ knownKeys }) => knownKeys === 0),
    PATIENCE,
  );
}
