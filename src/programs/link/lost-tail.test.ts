import assert from "node:assert/strict";
import { stat, truncate } from "node:fs/promises";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { execute, startAgreedSites } from "../../../test/kit/links/agreed-sites.ts";
import { appendedFile } from "../../../test/kit/links/appended-file.ts";
import { assertSameData } from "../../../test/kit/links/assert-same-data.ts";
import type { TestEngine } from "../../../test/kit/engines/engine.ts";
import { listOf } from "../../ports/resp/reply.ts";
import { until } from "#kit/testing/until";

const PATIENCE = { withinMs: 60_000 };

const before = [
  ...["SET sum 100", "SADD members m", "RPUSH list a", "HSET fields f 1", "ZADD scores 1 low 2 mid 3 high"],
  ...["SET value old", "SET text a", "ZADD best 1 player", "SADD left x y", "SADD right z"],
];
/** Clients write this; the disk keeps it, and not that the link had sent it. */
const kept = [
  ...["INCRBY sum 10", "SADD members n", "RPUSH list b", "HINCRBY fields f 5", "ZPOPMIN scores", "SET value new"],
  ...["APPEND text b", "ZADD best GT 5 player 1 other", "SUNIONSTORE all left right"],
  ...["EVAL return{redis.call('INCR','sum'),redis.call('RPUSH','list','c'),redis.call('INCR','both')} 0", "INCR sum"],
];
/** The disk loses this, and the other site has it. */
const lost = ["INCRBY sum 1000", "RPUSH list d", "SADD members lost", "INCR both", "ZADD best GT 6 player 2 other"];
/** Elsewhere, by a client that has seen both. */
const elsewhere = [
  ...["SREM members n", "RPUSH list e", "INCRBY sum 20", "SREM all x", "ZREM best other", "APPEND text c"],
  "HINCRBY fields f 7",
];
/** Before the link begins, of which some say what is lost as well. */
const begun = ["INCR both", "SADD members again"];
const later = ["INCRBY sum 3", "SET later 1", "SADD members late"];

await test("what a disk has kept without what the link knew of it counts once, and takes the place of nothing", async () => {
  await using world = await startAgreedSites(before, { sites: 2, keepsData: "read" });
  const [first, second] = world.engines;
  await first?.call("CONFIG", "SET", "appendfsync", "no"); // a power cut takes all from here on
  const file = await appendedFile(first);
  const link = world.sites[0]?.link.pid ?? assert.fail("a link runs");
  process.kill(link, "SIGSTOP");
  await execute(first, kept);
  const { size } = await stat(file);
  await execute(first, lost);
  process.kill(link, "SIGCONT");
  const hasAll = async (): Promise<boolean> => isDeepStrictEqual(await held(second), await held(first));
  await until("the other site has it", hasAll, PATIENCE);
  world.cut(1);
  await execute(second, elsewhere);
  await world.restartEngine(
    1,
    (engine) => engine.stop().then(() => truncate(file, size)),
    (engine) => execute(engine, begun),
  );
  await execute(world.sites[0]?.engine, later);
  world.heal();
  await until("all are linked", () => world.areUp(), PATIENCE);
  await assertSameData(world, []);
  assert.deepEqual(await held(second), {
    sum: "1135",
    members: ["again", "late", "lost", "m"],
    list: ["a", "b", "c", "d", "e"],
    fields: "13",
    scores: ["mid", "high"],
    value: "new",
    text: "abc",
    best: ["player", "6"],
    all: ["y", "z"],
    both: "3",
  });
});

await test("a link that is killed again and again while that comes back goes on with it", async () => {
  await using world = await startAgreedSites(["SET sum 100", "RPUSH list a"], { sites: 2, keepsData: "read" });
  const [first, second] = world.engines;
  await first?.call("CONFIG", "SET", "appendfsync", "no");
  const file = await appendedFile(first);
  const link = world.sites[0]?.link.pid ?? assert.fail("a link runs");
  process.kill(link, "SIGSTOP");
  const [begin, end] = [counts(1), counts(41)];
  await execute(first, [...begin, "RPUSH list b"]);
  const { size } = await stat(file);
  await execute(first, [...end, "RPUSH list c"]);
  process.kill(link, "SIGCONT");
  const has = async (): Promise<boolean> => String(await second?.call("LRANGE", "list", "0", "-1")) === "a,b,c";
  await until("the other site has it", has, PATIENCE);
  await world.restartEngine(1, (engine) => engine.stop().then(() => truncate(file, size)));
  for (const line of ["", "the primary is followed", "another site is connected", "the primary is followed"]) {
    const isThere = (): boolean => world.sites[0]?.link.lines.some((each) => each.includes(line)) === true;
    if (line !== "") await until(line, isThere, PATIENCE);
    await world.restartLink(1, (engine) => execute(engine, ["INCRBY sum 1000"]));
  }
  await until("all are linked", () => world.areUp(), PATIENCE);
  await assertSameData(world, []);
  // 1 to 80, and what was counted while there was no link
  assert.equal(await second?.call("GET", "sum"), String(100 + 3_240 + 4_000));
  assert.deepEqual(await second?.call("LRANGE", "list", "0", "-1"), ["a", "b", "c"]);
});

/** Forty increments, each of another amount. */
function counts(from: number): readonly string[] {
  return Array.from({ length: 40 }, (_, index) => `INCRBY sum ${from + index}`);
}

async function held(engine: TestEngine | undefined) {
  const ask = async (...command: [string, ...string[]]) => (await engine?.call(...command)) ?? null;
  const sorted = async (key: string) =>
    listOf(await ask("SMEMBERS", key))
      .map(String)
      .toSorted();
  return {
    sum: await ask("GET", "sum"),
    members: await sorted("members"),
    list: await ask("LRANGE", "list", "0", "-1"),
    fields: await ask("HGET", "fields", "f"),
    scores: await ask("ZRANGE", "scores", "0", "-1"),
    value: await ask("GET", "value"),
    text: await ask("GET", "text"),
    best: await ask("ZRANGE", "best", "0", "-1", "WITHSCORES"),
    all: await sorted("all"),
    both: await ask("GET", "both"),
  };
}
