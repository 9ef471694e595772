import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames, startEngine } from "../../../../test/kit/engines/engine.ts";
import { done, startProxy } from "../../../../test/kit/engines/proxy.ts";
import { startAll } from "../../../../test/kit/engines/start-all.ts";
import { playModel } from "../../../../test/kit/sharded/play-model.ts";
import { shardedEndpoint } from "../../../../test/kit/sharded/sharded.ts";

const CLIENTS = 12;
const MOST_SHARDS = 8;
/** Of all clients; a soak plays more. */
const ALL_PIPELINES = Number(process.env.SHARDED_PIPELINES ?? 10_000);
/** Of each client of each database. */
const PIPELINES = Math.ceil(ALL_PIPELINES / CLIENTS / MOST_SHARDS);
const SEED = Number(process.env.SHARDED_SEED ?? 7);
const engine = engineNames().at(-1);

test(`each of 12 clients gets each reply in its place, from 1 to 8 shards, in ${ALL_PIPELINES} random pipelines (seed ${SEED})`, async (t) => {
  const engines = await startAll(...Array.from({ length: MOST_SHARDS }, () => startEngine({ engine })));
  const [proxy] = await startAll(startProxy());
  t.after(() => Promise.allSettled([...engines.map((one) => one.stop()), proxy.stop()]));
  const endpoints = engines.map((_, at) => shardedEndpoint(engines.slice(0, at + 1), { bdb: at + 1 }));
  await done(proxy.send({ op: "configure", endpoints }));
  let checked = 0;
  for (const { listen, shards } of endpoints) {
    const counts = await Promise.all(
      Array.from({ length: CLIENTS }, (_, number) => {
        let left = PIPELINES;
        const goesOn = (): boolean => left-- > 0;
        return playModel({ listen, shards: shards.length, number, seed: SEED, goesOn });
      }),
    );
    checked += counts.reduce((sum, count) => sum + count, 0);
  }
  assert.ok(checked > ALL_PIPELINES * 10, `${checked} replies`);
  const { cut } = await proxy.stats(MOST_SHARDS);
  assert.equal(cut, 0);
});
