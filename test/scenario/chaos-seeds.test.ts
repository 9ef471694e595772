import assert from "node:assert/strict";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runSeed, whyNotPlayable } from "../kit/chaos/run.ts";
import { MOST_FAULTS, scheduleOf } from "../kit/chaos/schedule.ts";

// Two seeds of `npm run soak`: planned moves alone, and moves with faults. `CHAOS_SEEDS=4,7` plays others.

const seeds = (process.env["CHAOS_SEEDS"] ?? "4,6").split(",").map(Number);
const skip = whyNotPlayable() ?? false;

for (const seed of seeds) {
  const { faults, moves } = scheduleOf(seed, MOST_FAULTS);
  test(
    `seed ${seed}, ${faults.length} faults in ${moves.length} moves: the cluster heals, and breaks no promise`,
    { skip },
    async () => {
      await using folder = await mkdtempDisposable(join(tmpdir(), "seed-"));
      const lines: string[] = [];
      const verdict = await runSeed({
        seed,
        most: MOST_FAULTS,
        folder: folder.path,
        settings: "{}",
        say: (line) => lines.push(line),
      });
      assert.deepEqual(verdict.failures, [], `${lines.join("\n")}\nagain: npm run soak -- --seeds 1 --from ${seed}`);
      assert.ok(verdict.operations > 500, `only ${verdict.operations} operations`);
    },
  );
}
