import assert from "node:assert/strict";
import { test } from "node:test";
import { beside } from "../../../../test/kit/load/beside.ts";
import { Reshaped } from "../../../../test/kit/sharded/reshaped.ts";

const CLIENTS = 8;
const KEYS = 40;

for (const absent of [[], [1]])
  test(`clients that send pipelines stay connected while 1 shard becomes 4, then 3, then 1${absent.length > 0 ? ", and a proxy misses the hold" : ""}: each reply is right and in its place`, async (t) => {
    await using database = await Reshaped.start(1, { proxies: 2 });
    const replies = await beside(
      async () => {
        for (const shards of [4, 3, 1]) {
          const heldMs = await database.reshape(shards, { absent });
          t.diagnostic(`${shards} shards: held for ${heldMs.toFixed(1)} ms`);
        }
      },
      (goesOn) => Array.from({ length: CLIENTS }, (_, number) => count(database, number, goesOn)),
    );
    t.diagnostic(`${replies.reduce((sum, one) => sum + one, 0)} replies`);
    for (const proxy of database.proxies) assert.equal((await proxy.stats()).cut, 0);
  });

/** Counts up keys of its own in pipelines, each of which knows what it must get; how many replies it has got. */
async function count(database: Reshaped, number: number, goesOn: () => boolean): Promise<number> {
  const client = await database.client(number % 2);
  const counts = new Map<string, number>();
  let checked = 0;
  for (let round = 0; goesOn(); round++) {
    const keys = Array.from({ length: 1 + (round % 30) }, (_, at) => `${number}:${(round * 7 + at) % KEYS}`);
    for (const key of keys) client.send("INCR", key);
    const replies = await client.readMany(keys.length);
    for (const [at, key] of keys.entries()) {
      const next = (counts.get(key) ?? 0) + 1;
      counts.set(key, next);
      assert.equal(replies[at], next, `round ${round}: ${key}`);
      checked++;
    }
  }
  client.close();
  return checked;
}
