import assert from "node:assert/strict";
import { test } from "node:test";
import { runSitesSeed, whySitesNotPlayable } from "../kit/site-chaos/run.ts";
import { siteScheduleOf } from "../kit/site-chaos/schedule.ts";

const KIND = { length: "short", power: false } as const;

// Short seeds of `npm run soak:active-active`. `SITES_SEEDS=4,7` plays others.

const chosen = process.env["SITES_SEEDS"]?.split(",").map(Number);
const seeds = chosen ?? Array.from({ length: 4 }, (_, index) => index + 1);
const skip = whySitesNotPlayable() ?? false;
// two at once are late for no other reason than each other
const AT_ONCE = 1;

await test(
  "sites that are cut off, killed and upgraded while clients write",
  { skip, concurrency: AT_ONCE },
  async (t) => {
    const played = seeds.map((seed) =>
      t.test(
        `seed ${seed}, ${siteScheduleOf(seed, KIND).acts.length} acts: all come to the same, and no acknowledged write is lost`,
        async () => {
          const lines: string[] = [];
          const verdict = await runSitesSeed(seed, { ...KIND, rate: undefined }, (line) => lines.push(line));
          assert.deepEqual(
            verdict.failures,
            [],
            `${lines.join("\n")}\nagain: npm run soak:active-active -- --seeds 1 --from ${seed}`,
          );
          assert.ok(verdict.acknowledged > 100, `only ${verdict.acknowledged} writes`);
        },
      ),
    );
    await Promise.all(played);
  },
);
