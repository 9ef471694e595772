import assert from "node:assert/strict";
import { cp, rename, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { TestEngine } from "../../../test/kit/engines/engine.ts";
import { execute, startAgreedSites } from "../../../test/kit/links/agreed-sites.ts";
import { appendedFile } from "../../../test/kit/links/appended-file.ts";
import { assertSameData } from "../../../test/kit/links/assert-same-data.ts";
import { endLog, isPlace, logOf } from "../../../test/kit/links/link-log.ts";
import type { LinkedSites } from "../../../test/kit/links/linked-sites.ts";
import { placeIn } from "../../mechanisms/site/saved/place.ts";
import { textOf } from "../../ports/resp/reply.ts";
import { until } from "#kit/testing/until";

/** Few enough that the log keeps them. */
const COUNTED = 400;
const PATIENCE = { withinMs: 60_000 };

/** Commands before, all sites agree on them; then those of the site whose engine is started again, and of another one, which knows nothing of these. */
const before = [
  "SADD members m n",
  "HSET fields f 1 g 1",
  "SET value old",
  "RPUSH list a",
  "SET sum 100",
  "SET gone 1",
];
const unseen = [
  ...[
    "SADD members o",
    "SREM members n",
    "HSET fields h 1",
    "HDEL fields g",
    "RPUSH list b",
    "INCRBY sum 5",
    "DEL gone",
  ],
  ...["PUBLISH channel said", "SET made 1", "EVAL return{redis.call('INCR','counted'),redis.call('INCR','counted')} 0"],
];
const meanwhile = ["DEL members", "DEL fields", "INCRBY sum 30", "DEL value"];

/** More operations than were lost. */
const LATER = ["SET later 1", "INCRBY sum 1", "INCRBY sum 1", "INCRBY sum 1", "SET last 1"];

await test("a site whose primary starts again from its disk goes on where it was, and loses nothing to deletions elsewhere", async () => {
  await using world = await agreed();
  world.cut(1);
  await world.restartEngine(2, (engine) => execute(engine, unseen));
  await execute(world.engines[0], meanwhile);
  await merged(world);
  await assertMerged(world);
  assert.equal(compared(world), 0);
});

await test("a link that is killed while it reads the file goes on there, and counts nothing twice", async () => {
  await using world = await agreed({ sites: 2 });
  world.cut(2);
  await world.restartEngine(2, count);
  const engine = world.sites[1]?.engine;
  const isOver = async (): Promise<boolean> => {
    await engine?.call("SET", "after", "1"); // what follows in the stream moves the place there
    const places = engine === undefined ? [] : (await logOf(engine)).filter(isPlace);
    return places.some(isInFile) && !isInFile(places.at(-1) ?? "");
  };
  await until("the file has been read", isOver, PATIENCE);
  await world.restartLink(2, (site) => endLog(site, (entries) => entries.findIndex(isInFile)));
  await merged(world);
  const first = world.sites[0]?.engine;
  assert.deepEqual(await Promise.all([first?.call("GET", "counted"), first?.call("DBSIZE")]), [
    String(COUNTED),
    await engine?.call("DBSIZE"),
  ]);
  assert.equal(compared(world), 0);
});

await test("where the engine has removed from the file what the link has read last, the site compares itself with another one", async () => {
  await using world = await agreed({ sites: 2 });
  const engine = world.sites[1]?.engine;
  await engine?.call("BGREWRITEAOF");
  const isRewritten = async (): Promise<boolean> =>
    /aof_rewrite_in_progress:0/.test(textOf((await engine?.call("INFO", "persistence")) ?? ""));
  await until("all data is written anew", isRewritten, PATIENCE);
  world.cut(1);
  await world.restartEngine(2, (site) => execute(site, ["INCRBY sum 5", "SET made 1"]));
  await merged(world);
  assert.deepEqual(await world.sites[0]?.engine.call("MGET", "sum", "made"), ["105", "1"]);
  assert.equal(compared(world), 1);
});

await test("a site that loses the end of its file gets it back from the others, and what it writes then has other numbers", async () => {
  await using world = await agreed({ sites: 2 });
  const [first, second] = world.engines;
  await first?.call("CONFIG", "SET", "appendfsync", "no"); // a power cut takes all from here on
  const file = await appendedFile(first);
  const { size } = await stat(file);
  await execute(first, ["SET tail 1", "INCRBY sum 10"]);
  await until("the other site has it", async () => (await second?.call("GET", "sum")) === "110", PATIENCE);
  world.cut(2);
  await world.restartEngine(1, (engine) => engine.stop().then(() => truncate(file, size)));
  await execute(world.sites[0]?.engine, LATER);
  await merged(world);
  assert.deepEqual(await world.sites[1]?.engine.call("MGET", "sum", "tail", "later", "last"), ["113", "1", "1", "1"]);
});

await test("a site whose disk is older gets back what is kept for a site that is away, and what it writes then has other numbers", async () => {
  await using world = await agreed();
  const [first, second] = world.engines;
  const folder = join(await appendedFile(first), "../..");
  const copy = `${folder}-before`;
  world.cut(3);
  await cp(folder, copy, { recursive: true });
  await execute(first, ["SET tail 1", "INCRBY sum 10"]);
  await until("another site has it", async () => (await second?.call("GET", "sum")) === "110", PATIENCE);
  await world.restartEngine(1, async (engine) => {
    await engine.stop();
    await rm(folder, { recursive: true });
    await rename(copy, folder);
  });
  await execute(world.sites[0]?.engine, LATER);
  await merged(world);
  assert.deepEqual(await world.sites[2]?.engine.call("MGET", "sum", "tail", "later", "last"), ["113", "1", "1", "1"]);
});

/** Increments, and between them what takes much room in the file and little in the log of the link. */
async function count(engine: TestEngine): Promise<void> {
  const client = await engine.connect();
  const long = "v".repeat(20_000);
  const one = (key: number) => [client.call("INCR", "counted"), client.call("PFADD", "estimated", `${key}${long}`)];
  await Promise.all(Array.from({ length: COUNTED }, (_, key) => one(key)).flat());
  client.close();
}

async function merged(world: LinkedSites): Promise<void> {
  world.heal();
  await until("all are linked", () => world.areUp(), PATIENCE);
  await assertSameData(world, []);
}

async function assertMerged({ sites }: LinkedSites): Promise<void> {
  const engine = sites[0]?.engine;
  assert.deepEqual(
    await Promise.all([
      ...[
        engine?.call("SMEMBERS", "members"),
        engine?.call("HGETALL", "fields"),
        engine?.call("LRANGE", "list", 0, -1),
      ],
      engine?.call("MGET", "sum", "gone", "made", "counted", "value"),
    ]),
    [["o"], ["h", "1"], ["a", "b"], ["135", null, "1", "2", null]],
  );
}

/** How often a site has compared itself with another one. */
function compared({ sites }: Pick<LinkedSites, "sites">): number {
  const lines = sites.flatMap(({ link }) => link.lines);
  return lines.filter((line) => line.includes("is looked for at another site")).length;
}

/** Whether the entry is a place in a file. */
function isInFile(entry: string): boolean {
  return isPlace(entry) && placeIn(entry).replicationId === "";
}

function agreed(options: { readonly sites?: number } = {}): Promise<LinkedSites> {
  return startAgreedSites(before, { ...options, keepsData: "read" });
}
