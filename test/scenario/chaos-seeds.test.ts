import assert from "node:assert/strict";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runSeed, whyNotPlayable } from "../kit/chaos/run.ts";
import { MOST_FAULTS, scheduleOf } from "../kit/chaos/schedule.ts";

// Three seeds of `npm run soak`: planned moves alone, moves with faults, and those at a database of four shards. `CHAOS_SEEDS=4,7:2` plays others, the
// second one with two shards.

const seeds = (process.env["CHAOS_SEEDS"] ?? "4,6,102:4").split(",").map((text) => text.split(":").map(Number));
const skip = whyNotPlayable() ?? false;

for (const [seed = 0, shards = 1] of seeds) {
  const { faults, moves } = scheduleOf(seed, MOST_FAULTS);
  test(
    `seed ${seed} of ${shards} shards, ${faults.length} faults in ${moves.length} moves: the cluster heals, and breaks no promise`,
    { skip },
    async () => {
      await using folder = await mkdtempDisposable(join(tmpdir(), "seed-"));
      const lines: string[] = [];
      const verdict = await runSeed({
        seed,
        most: MOST_FAULTS,
        folder: folder.path,
        settings: shards === 1 ? "{}" : JSON.stringify({ shards_count: shards }),
        say: (line) => lines.push(line),
      });
      assert.deepEqual(
        verdict.failures,
        [],
        `${lines.join("\n")}\nagain: npm run soak -- --seeds 1 --from ${seed} --shards ${shards}`,
      );
      assert.ok(verdict.operations > 500, `only ${verdict.operations} operations`);
    },
  );
}
