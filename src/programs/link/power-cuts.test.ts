import assert from "node:assert/strict";
import { test } from "node:test";
import { startAgreedSites } from "../../../test/kit/links/agreed-sites.ts";
import { assertSameData } from "../../../test/kit/links/assert-same-data.ts";
import { cutPowerWhileCounting, SUM_AFTER_CUTS } from "../../../test/kit/links/cut-power.ts";
import { until } from "#kit/testing/until";

const PATIENCE = { withinMs: 60_000 };

/** Of so many sites, the power of some goes at once; others get nothing of what was written before. */
const cases: readonly { readonly sites: number; readonly cut: readonly number[]; readonly away: readonly number[] }[] =
  [
    { sites: 2, cut: [1, 2], away: [] },
    { sites: 3, cut: [1, 2], away: [3] },
    { sites: 3, cut: [1, 2, 3], away: [3] },
  ];

for (const { sites, cut, away } of cases)
  await test(`${cut.length} of ${sites} sites lose their power at once: what the disk of one has kept counts once when that of another one says so`, async () => {
    await using world = await startAgreedSites(["SET sum 100", "RPUSH list a"], { sites, keepsData: "read" });
    await cutPowerWhileCounting(world, { cut, away });
    await until("all are linked", () => world.areUp(), PATIENCE);
    await assertSameData(world, []);
    for (const { engine } of world.sites) {
      assert.equal(await engine.call("GET", "sum"), String(SUM_AFTER_CUTS));
      assert.deepEqual(await engine.call("LRANGE", "list", "0", "-1"), ["a", "b", "c"]);
    }
  });
