import assert from "node:assert/strict";
import { test } from "node:test";
import { differences, digestOf } from "../../../test/kit/merge/digest.ts";
import { startEngineLoad } from "../../../test/kit/merge/engine-load.ts";
import { startEngineSites } from "../../../test/kit/merge/engine-sites.ts";
import { until } from "../../../test/kit/time/until.ts";

/** `MERGE_SEED` and `MERGE_WRITES` choose others. */
const SEED = Number(process.env["MERGE_SEED"] ?? Date.now() % 100_000);
const WRITES = Number(process.env["MERGE_WRITES"] ?? 3_000);
const PATIENCE = { withinMs: 30_000 };

await test(`three engines that are written at once, one cut off for a while, end with the same data (MERGE_SEED=${SEED})`, async () => {
  await using world = await startEngineSites();
  const load = startEngineLoad(world.engines, SEED);
  await until("clients write", () => load.written() > WRITES / 3, PATIENCE);
  world.cut(3);
  await until("they write at both sides of the cut", () => load.written() > (2 * WRITES) / 3, PATIENCE);
  world.heal();
  await until("they write after it", () => load.written() > WRITES, PATIENCE);
  const counters = await load.finish();
  const digests = () => Promise.all(world.engines.map(digestOf));
  const isSame = async (): Promise<boolean> => differences(await digests()).length === 0;
  await until("all engines hold the same", isSame, PATIENCE).catch(async (error: unknown) => {
    throw new Error(differences(await digests()).join("\n"), { cause: error });
  });
  for (const { key, sum } of counters)
    for (const engine of world.engines) assert.equal(Number(await engine.call("GET", key)), sum, `${key} adds up`);
  await until("no site remembers a key", () => world.sites.every(({ knownKeys }) => knownKeys === 0), PATIENCE);
  assert.equal(world.failure(), undefined);
});
