import type { TestEngine } from "../engines/engine.ts";
import { until } from "#kit/testing/until";
import { assertSameData } from "./assert-same-data.ts";
import { startLinkedSites, type LinkedSites, type LinkedSitesOptions } from "./linked-sites.ts";

const PATIENCE = { withinMs: 60_000 };

/** Linked sites that hold what these commands make, and have agreed on all of it. */
export async function startAgreedSites(before: readonly string[], options: LinkedSitesOptions): Promise<LinkedSites> {
  const world = await startLinkedSites(options);
  await until("all are linked", () => world.areUp(), PATIENCE);
  await execute(world.engines[0], before);
  await assertSameData(world, []);
  const isForgotten = async (): Promise<boolean> =>
    (await Promise.all(world.sites.map(({ link }) => link.status()))).flat().every(({ knownKeys }) => knownKeys === 0);
  await until("all have agreed", isForgotten, PATIENCE);
  return world;
}

/** Executes commands, one after the other. */
export async function execute(engine: TestEngine | undefined, commands: readonly string[]): Promise<void> {
  for (const command of commands) await engine?.call(...(command.split(" ") as [string, ...string[]]));
}
