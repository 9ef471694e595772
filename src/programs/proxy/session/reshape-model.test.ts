import assert from "node:assert/strict";
import { test } from "node:test";
import { beside } from "../../../../test/kit/load/beside.ts";
import { playModel } from "../../../../test/kit/sharded/play-model.ts";
import { Reshaped } from "../../../../test/kit/sharded/reshaped.ts";

const CLIENTS = 6;
/** All are replaced, or some are kept: at other places, and then for a second time. */
const TABLES = [
  [4, 3, 1],
  [2, ["0-999", "1000-8191", "8192-16383"], ["0-999", "1000-1999,16000-16383", "2000-8191", "8192-15999"], 2],
] as const;
const WAYS = TABLES.flatMap((tables) => [[], [1]].map((absent) => ({ tables, absent })));

for (const { tables, absent } of WAYS)
  test(`clients that use all kinds of requests get each reply right while 1 shard becomes ${tables.map((one) => (typeof one === "number" ? one : `${one.length} uneven`)).join(", then ")}${absent.length > 0 ? ", and a proxy misses the hold" : ""}`, async (t) => {
    await using database = await Reshaped.start(1, { proxies: 2 });
    const checked = await beside(
      async () => {
        for (const shards of tables) await database.reshape(shards, { absent });
      },
      (goesOn) =>
        Array.from({ length: CLIENTS }, (_, number) =>
          playModel({ listen: database.listen(number % 2), shards: 0, number, seed: 5, goesOn }),
        ),
    );
    for (const proxy of database.proxies) assert.equal((await proxy.stats()).cut, 0);
    t.diagnostic(`${checked.reduce((sum, count) => sum + count, 0)} replies`);
  });
