import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { engineNames, startEngine } from "../../../test/kit/engines/engine.ts";
import { startAll } from "../../../test/kit/engines/start-all.ts";
import { assertMoved } from "../../../test/kit/mover/assert-moved.ts";
import { MovedShards } from "../../../test/kit/mover/moved-shards.ts";
import { SlotClients } from "../../../test/kit/mover/slot-clients.ts";

// more engines at a time than listen for the end of a process by default
process.setMaxListeners(20);

const NEWEST = engineNames().at(-1);
const [OLDEST] = engineNames();
const OF_REDIS = engineNames().filter((name) => name.startsWith("redis"));

for (const [from, to, former, next] of [
  [1, 4, OLDEST, NEWEST],
  [3, 1, NEWEST, NEWEST],
  [3, 8, OF_REDIS[0], OF_REDIS.at(-1)],
] as const)
  test(`${from} shards of ${former} become ${to} of ${next} while clients write, and nothing is lost`, async () => {
    const sources = await startAll(...Array.from({ length: from }, () => startEngine({ engine: former })));
    await using clients = new SlotClients(6);
    clients.begin(sources);
    await until("clients have written before", () => clients.requests > 500);
    try {
      await using moved = await MovedShards.begin(sources, { targets: to, engine: next });
      await moved.following();
      const before = clients.requests;
      await until("clients have written meanwhile", () => clients.requests > before + 500);
      await clients.stop();
      await moved.finish();
      assert.ok((await assertMoved(moved, "stream")) > 200);
      await clients.assertThere(moved.targets);
      clients.begin(moved.targets);
      const then = clients.requests;
      await until("clients go on at the next shards", () => clients.requests > then + 500);
      await clients.stop();
      await clients.assertThere(moved.targets);
    } finally {
      await Promise.all(sources.map((source) => source.stop()));
    }
  });
