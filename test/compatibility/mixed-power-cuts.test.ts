import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { buildRelease, whyNotBuildable } from "../../scripts/releases/build.ts";
import { keptReleases } from "../../scripts/releases/history.ts";
import { startAgreedSites } from "../kit/links/agreed-sites.ts";
import { assertSameData } from "../kit/links/assert-same-data.ts";
import { cutPowerWhileCounting, SUM_AFTER_CUTS } from "../kit/links/cut-power.ts";

const PATIENCE = { withinMs: 120_000 };

const kept = keptReleases().at(-1) ?? assert.fail("there are releases");
const skip = (await whyNotBuildable(kept)) ?? false;

for (const older of [1, 2])
  await test(
    `two sites lose their power at once, of which site ${older} is of ${kept.version}: both hold the same, and no increment is lost`,
    { skip },
    async () => {
      const [node, program] = (await buildRelease(kept)).command;
      assert.ok(node !== undefined && program !== undefined);
      const options = { sites: 2, keepsData: "read", older: new Map([[older, [node, program] as const]]) } as const;
      await using world = await startAgreedSites(["SET sum 100", "RPUSH list a"], options);
      await cutPowerWhileCounting(world, { cut: [1, 2], away: [] });
      await until("both are linked", () => world.areUp(), PATIENCE);
      await assertSameData(world, []);
      const sums = await Promise.all(world.sites.map(({ engine }) => engine.call("GET", "sum")));
      // what the disk of the first one has kept counts twice: a link of that release neither asks for it, nor gives it before it has begun
      assert.ok([SUM_AFTER_CUTS, SUM_AFTER_CUTS + 10].map(String).includes(String(sums[0])), String(sums));
      assert.equal(sums[1], sums[0]);
    },
  );
