import assert from "node:assert/strict";
import { test } from "node:test";
import { playModel } from "../../../../test/kit/sharded/play-model.ts";
import { Reshaped } from "../../../../test/kit/sharded/reshaped.ts";

const CLIENTS = 6;

for (const absent of [[], [1]])
  test(`clients that use all kinds of requests get each reply right while 1 shard becomes 4, then 3, then 1${absent.length > 0 ? ", and a proxy misses the hold" : ""}`, async (t) => {
    await using database = await Reshaped.start(1, { proxies: 2 });
    let isOver = false;
    const playing = Array.from({ length: CLIENTS }, (_, number) =>
      playModel({ listen: database.listen(number % 2), shards: 0, number, seed: 5, goesOn: () => !isOver }),
    );
    for (const shards of [4, 3, 1]) await database.reshape(shards, { absent });
    isOver = true;
    const checked = await Promise.all(playing);
    for (const proxy of database.proxies) assert.equal((await proxy.stats()).cut, 0);
    t.diagnostic(`${checked.reduce((sum, count) => sum + count, 0)} replies`);
  });
