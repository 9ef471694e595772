import assert from "node:assert/strict";
import { stat, truncate } from "node:fs/promises";
import { until } from "#kit/testing/until";
import { execute } from "./agreed-sites.ts";
import { appendedFile } from "./appended-file.ts";
import type { LinkedSites } from "./linked-sites.ts";

const PATIENCE = { withinMs: 60_000 };

/** What the counter `sum` of such sites has in the end when each increment that a site has kept counts once; it begins with 100. */
export const SUM_AFTER_CUTS = 100 + 10 + 1_000 + 20;

/**
 * Cuts the power of sites at once, the first and the second among them, which have agreed on the counter `sum`. The disk of the first one has kept an
 * increment by 10 and not that its link had sent it; it has lost one by 1,000. That of the second one has got both, and kept an increment by 20 that its link
 * has not read; it has lost one by 30,000, which no other one has. The sites in `cut` begin again; those in `away` get nothing of all this before.
 */
export async function cutPowerWhileCounting(
  world: LinkedSites,
  { cut, away }: { readonly cut: readonly number[]; readonly away: readonly number[] },
): Promise<void> {
  const [first, second] = world.engines;
  const pidOf = (id: number): number => world.sites[id - 1]?.link.pid ?? assert.fail("a link runs");
  for (const engine of [first, second]) await engine?.call("CONFIG", "SET", "appendfsync", "no"); // they lose the end
  const files = [await appendedFile(first), await appendedFile(second)] as const;
  for (const id of away) world.cut(id);
  process.kill(pidOf(1), "SIGSTOP");
  await execute(first, ["INCRBY sum 10", "RPUSH list b"]);
  const keptByFirst = (await stat(files[0])).size;
  await execute(first, ["INCRBY sum 1000", "RPUSH list c"]);
  process.kill(pidOf(1), "SIGCONT");
  const hasBoth = async (): Promise<boolean> =>
    (await second?.call("GET", "sum")) === "1110" && (await second?.call("LLEN", "list")) === 3;
  await until("the other site has both", hasBoth, PATIENCE);
  process.kill(pidOf(2), "SIGSTOP");
  await execute(second, ["INCRBY sum 20"]);
  const keptBySecond = (await stat(files[1])).size;
  await execute(second, ["INCRBY sum 30000"]);
  await world.losePower(cut, async () => {
    await truncate(files[0], keptByFirst);
    await truncate(files[1], keptBySecond);
    world.heal();
  });
}
