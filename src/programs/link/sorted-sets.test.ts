import assert from "node:assert/strict";
import { test } from "node:test";
import { execute, startAgreedSites } from "../../../test/kit/links/agreed-sites.ts";
import { assertSameData } from "../../../test/kit/links/assert-same-data.ts";
import { until } from "#kit/testing/until";

interface Case {
  readonly key: string;
  readonly before: string;
  readonly here: string;
  readonly there: string;
  readonly after: string;
}

/** What two sites do to different members of a sorted set at once. */
const CASES: readonly Case[] = [
  { key: "pops", before: "1 a 2 b 3 c 4 d", here: "ZPOPMIN k", there: "ZPOPMAX k", after: "b 2 c 3" },
  { key: "rank", before: "1 a 2 b 3 c 4 d", here: "ZREMRANGEBYRANK k 0 0", there: "ZREM k d", after: "b 2 c 3" },
  { key: "score", before: "1 a 2 b 3 c", here: "ZREMRANGEBYSCORE k -inf (2", there: "ZINCRBY k 5 c", after: "b 2 c 8" },
  { key: "lex", before: "0 a 0 b 0 c", here: "ZREMRANGEBYLEX k [a (b", there: "ZINCRBY k 5 c", after: "b 0 c 5" },
  { key: "gt", before: "1 a 2 b 3 c", here: "ZADD k GT 9 a", there: "ZREM k b", after: "c 3 a 9" },
  { key: "gt2", before: "1 a 2 b 3 c", here: "ZADD k GT 9 a 1 b", there: "ZINCRBY k 5 b", after: "c 3 b 7 a 9" },
  { key: "nx", before: "1 a 2 b", here: "ZADD k NX 4 n 7 b", there: "ZINCRBY k 5 b", after: "a 1 n 4 b 7" },
  { key: "incr", before: "1 a 2 b", here: "ZADD k INCR 2 a", there: "ZADD k XX INCR 3 a", after: "b 2 a 6" },
  { key: "part", before: "1 a 2 b", here: "ZINCRBY k 0.5 a", there: "ZINCRBY k 5 b", after: "a 1.5 b 7" },
  { key: "least", before: "1 a 2 b 3 c", here: "ZPOPMIN k", there: "ZINCRBY k 5 c", after: "b 2 c 8" },
];

await test("a command that changes some members of a sorted set undoes nothing that another site does to others", async () => {
  const made = CASES.map(({ key, before }) => `ZADD ${key} ${before}`);
  await using world = await startAgreedSites(made, { sites: 2 });
  const [here, there] = world.engines;
  // the first pop has all of a set read
  for (const engine of world.engines) {
    for (const { key } of CASES) await execute(engine, [`ZADD ${key} 99 x`, `ZPOPMAX ${key}`]);
    await assertSameData(world, []);
  }
  world.cut(2);
  for (const each of CASES) {
    await execute(here, [each.here.replace(" k", ` ${each.key}`)]);
    await execute(there, [each.there.replace(" k", ` ${each.key}`)]);
  }
  world.heal();
  await until("both are linked again", () => world.areUp(), { withinMs: 60_000 });
  await assertSameData(world, []);
  for (const { key, after } of CASES) {
    const held = await here?.call("ZRANGE", key, "0", "-1", "WITHSCORES");
    assert.equal(String(held).replaceAll(",", " "), after, key);
  }
});
