import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { compareVersionText } from "#kit/base/version";
import { buildRelease, whyNotBuildable } from "../../scripts/releases/build.ts";
import { keptReleases } from "../../scripts/releases/history.ts";
import { assertSameData } from "../kit/links/assert-same-data.ts";
import type { ReleaseCommand } from "../kit/links/link-process.ts";
import { startLinkedSites, type LinkedSites } from "../kit/links/linked-sites.ts";
import { startEngineLoad } from "../kit/merge/engine-load.ts";

/** Before it no release had links. */
const FIRST_WITH_LINKS = "0.4.0";
const PATIENCE = { withinMs: 120_000 };
const SITES = [1, 2, 3];

for (const kept of keptReleases().filter(({ version }) => (compareVersionText(version, FIRST_WITH_LINKS) ?? 0) >= 0)) {
  const skip = (await whyNotBuildable(kept)) ?? false;
  await test(
    `sites of ${kept.version} are upgraded one after the other under load, and all hold the same`,
    { skip },
    async () => {
      const [node, program] = (await buildRelease(kept)).command;
      assert.ok(node !== undefined && program !== undefined);
      const older = new Map<number, ReleaseCommand>(SITES.map((id) => [id, [node, program]]));
      await using world = await startLinkedSites({ sites: SITES.length, older });
      await until("all are linked", () => world.areUp(), PATIENCE);
      const load = startEngineLoad(world.engines, 11);
      for (const id of SITES) {
        await until("more is written", moreThan(load.written), PATIENCE);
        world.cut(id, 1 + (id % SITES.length));
        older.delete(id);
        await world.restartLink(id);
        await until("more is written", moreThan(load.written), PATIENCE);
        world.heal();
        await until(`all are linked beside site ${id} of this release`, () => world.areUp(), PATIENCE);
      }
      await assertSameData(world, await load.finish());
      await until("all keys were found to be the same", () => haveAgreed(world), PATIENCE);
      assert.equal(
        (await agreements(world)).reduce((sum, { found }) => sum + found, 0),
        0,
      );
    },
  );
}

/** True when so much more is written than now. */
function moreThan(written: () => number): () => Promise<boolean> {
  const from = written();
  return () => Promise.resolve(written() > from + 500);
}

async function agreements({ sites }: LinkedSites) {
  const all = (await Promise.all(sites.map(({ link }) => link.status()))).flat();
  return all.flatMap((database) => database.sites.flatMap(({ agreement }) => agreement ?? []));
}

async function haveAgreed(world: LinkedSites): Promise<boolean> {
  const all = await agreements(world);
  return all.length === SITES.length * (SITES.length - 1) && all.every(({ agreedAt }) => agreedAt !== undefined);
}
