import assert from "node:assert/strict";
import { differences, digestOf } from "../merge/digest.ts";
import type { Counter } from "../merge/engine-load.ts";
import { until } from "#kit/testing/until";
import type { LinkedSites } from "./linked-sites.ts";

const PATIENCE = { withinMs: 60_000 };

/** All engines hold the same, counters are exact, and nothing is remembered. */
export async function assertSameData(world: LinkedSites, counters: readonly Counter[]): Promise<void> {
  const digests = () => Promise.all(world.sites.map(({ engine }) => digestOf(engine)));
  const isSame = async (): Promise<boolean> => differences(await digests()).length === 0;
  await until("all engines hold the same", isSame, PATIENCE).catch(async (error: unknown) => {
    const lines = world.sites.flatMap(({ id, link }) => link.lines.slice(-8).map((line) => `${id}: ${line}`));
    throw new Error([...differences(await digests()), ...lines].join("\n"), { cause: error });
  });
  for (const { key, sum } of counters)
    for (const { engine } of world.sites) assert.equal(Number(await engine.call("GET", key)), sum, `${key} adds up`);
  const isForgotten = async (): Promise<boolean> => {
    const all = (await Promise.all(world.sites.map(({ link }) => link.status()))).flat();
    return all.every(({ knownKeys, keptBytes }) => knownKeys === 0 && keptBytes < 1_000);
  };
  await until("no site remembers a key", isForgotten, PATIENCE).catch(async (error: unknown) => {
    const all = await Promise.all(world.sites.map(({ link }) => link.status()));
    throw new Error(JSON.stringify(all, undefined, 1), { cause: error });
  });
}
