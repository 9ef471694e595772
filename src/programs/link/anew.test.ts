import assert from "node:assert/strict";
import { test } from "node:test";
import { execute, startAgreedSites } from "../../../test/kit/links/agreed-sites.ts";
import { assertSameData } from "../../../test/kit/links/assert-same-data.ts";
import { endLog, isPlace, logOf } from "../../../test/kit/links/link-log.ts";
import type { LinkedSites } from "../../../test/kit/links/linked-sites.ts";
import { isFirstAt, placeIn } from "../../mechanisms/site/saved/place.ts";
import { until } from "#kit/testing/until";

const PATIENCE = { withinMs: 60_000 };

/** Commands before, all sites agree on them; then those of the site that begins anew, which no link has captured, and of another one. */
const before = [
  ...["SET sum 100", "HSET sums f 100", "ZADD scores 100 m", "SET value old", "SET other old", "RPUSH list a b"],
  ...["SADD members m n", "SADD removed m", "SET expiring 1"],
];
const unseen = [
  ...["INCRBY sum 5", "HINCRBY sums f 5", "ZINCRBY scores 5 m", "SET value new", "RPUSH list c", "SREM members m"],
  ...["SADD members o", "DEL removed", "PEXPIREAT expiring 4102444800000", "SET made 1"],
];
const meanwhile = ["INCRBY sum 30", "HINCRBY sums f 30", "ZINCRBY scores 30 m", "SET other new", "SADD members p"];

await test("a site whose primary starts again from its disk keeps what clients did unseen, and takes nothing from what others did meanwhile", async () => {
  await using world = await agreed();
  world.cut(1);
  await world.restartEngine(2, (engine) => execute(engine, unseen));
  await execute(world.engines[0], meanwhile);
  world.heal();
  await assertMerged(world);
});

await test("two sites that begin anew at once compare with the third one", async () => {
  await using world = await agreed();
  world.cut(1);
  await world.restartEngine(2, (engine) => execute(engine, unseen));
  await world.restartEngine(3, (engine) => execute(engine, ["INCRBY sum 1000", "SADD members q"]));
  await execute(world.engines[0], [...meanwhile, "DECRBY sum 1000", "SREM members q"]);
  world.heal();
  await until(
    "what the third one did is here",
    async () => (await world.engines[0]?.call("SISMEMBER", "members", "q")) === 1,
    PATIENCE,
  );
  await execute(world.engines[0], ["SREM members q"]);
  await assertMerged(world);
});

await test("a link that is killed when it has written down that it begins anew goes on from there", async () => {
  await using world = await agreed({ sites: 2 });
  // so many that the link is at them for a while
  await execute(world.engines[0], [
    `MSET value newer ${Array.from({ length: 1_000 }, (_, key) => `${key} 1`).join(" ")}`,
  ]);
  const other = world.sites[1];
  await until("the other site has it", async () => (await other?.engine.call("GET", "value")) === "newer", PATIENCE);
  world.cut(1);
  // killed before it has said that its engine has applied that
  await world.restartEngine(2, (engine) => endLog(engine, (entries) => entries.findLastIndex(isApplied)));
  const isBegun = async (): Promise<boolean> => other !== undefined && (await logOf(other.engine)).some(isAnew);
  await until("the link begins anew", isBegun, PATIENCE);
  await world.restartLink(2, (engine) => endLog(engine, (entries) => entries.findIndex(isAnew)));
  await execute(world.engines[0], ["SET value newest"]);
  world.heal();
  await until("all are linked", () => world.areUp(), PATIENCE);
  await until("the other site has it", async () => (await other?.engine.call("GET", "value")) === "newest", PATIENCE);
});

await test("both ends of a link say that a site looks for what its clients did, until it has found it", async () => {
  await using world = await agreed({ sites: 2 });
  // it is connected by the other site, and cannot compare itself with it
  world.cutFrom(1);
  const isSaid = async (): Promise<boolean> => {
    const statuses = await Promise.all(world.sites.map(({ link }) => link.status()));
    const said = statuses.flat().flatMap(({ sites }) => sites.map(({ state, cause }) => `${state}: ${cause}`));
    return (
      said[0]?.startsWith("syncing: This site still looks") === true &&
      said[1]?.startsWith("syncing: It still looks") === true
    );
  };
  await world.restartEngine(1, (engine) => execute(engine, ["SET value unseen"]));
  await until("both say it", isSaid, PATIENCE);
  await world.restartLink(1);
  await until("both say it of the next link", isSaid, PATIENCE);
  world.heal();
  await until("all are linked", () => world.areUp(), PATIENCE);
  const isFound = async (): Promise<boolean> => (await world.sites[1]?.engine.call("GET", "value")) === "unseen";
  await until("what was unseen is at the other site", isFound, PATIENCE);
});

await test("where all sites begin anew at once, they come to the same", async () => {
  await using world = await agreed({ sites: 2 });
  world.cut(1);
  await world.restartEngine(1, (engine) => execute(engine, ["SADD members x", "INCRBY sum 7"]));
  await world.restartEngine(2, (engine) => execute(engine, ["SET value new", "INCRBY sum 5"]));
  world.heal();
  await until("all are linked", () => world.areUp(), PATIENCE);
  await until(
    "it has what the other one did",
    async () => (await world.sites[0]?.engine.call("GET", "value")) === "new",
    PATIENCE,
  );
  await assertSameData(world, []);
});

function agreed(options: { readonly sites?: number } = {}): Promise<LinkedSites> {
  return startAgreedSites(before, { ...options, keepsData: "unread" });
}

function isApplied(entry: string): boolean {
  return entry.startsWith("A");
}

function isAnew(entry: string): boolean {
  return isPlace(entry) && !isFirstAt(placeIn(entry));
}

async function assertMerged(world: LinkedSites): Promise<void> {
  await until("all are linked", () => world.areUp(), PATIENCE);
  const first = world.sites[0]?.engine;
  await until("what no link has seen is there", async () => (await first?.call("GET", "sum")) === "135", PATIENCE);
  await assertSameData(world, []);
  assert.deepEqual(
    await Promise.all([
      ...[first?.call("HGET", "sums", "f"), first?.call("ZSCORE", "scores", "m")],
      ...[first?.call("MGET", "value", "other", "removed", "made"), first?.call("LRANGE", "list", "0", "-1")],
      ...[first?.call("EVAL", "local m = redis.call('SMEMBERS', 'members') table.sort(m) return m", "0")],
      first?.call("PEXPIRETIME", "expiring"),
    ]),
    ["135", "135", ["new", "new", null, "1"], ["a", "b", "c"], ["n", "o", "p"], 4102444800000],
  );
}
