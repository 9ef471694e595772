import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { engineNames } from "../../../../test/kit/engines/engine.ts";
import { startShard, type TestShard } from "../../../../test/kit/engines/shard.ts";
import { SWITCHOVER_MS, SWITCHOVER_STEPS } from "./ports.ts";
import type { ShardPorts, SwitchoverResult, SwitchoverStep } from "./ports.ts";
import { switchOver } from "./switchover.ts";

const ENGINES = [engineNames()[0] ?? "", engineNames().at(-1) ?? ""];
const HELD = SWITCHOVER_STEPS.slice(SWITCHOVER_STEPS.indexOf("hold") + 1, SWITCHOVER_STEPS.indexOf("promote") + 1);

for (const stalled of HELD)
  test(`a leader that stands still at "${stalled}" until a hold may end before the release does not promote, and the next attempt moves`, async () => {
    await using shard = await startShard(ENGINES);
    const load = await shard.startLoad();
    await load.more();
    let lateMs = 0;
    const ports = shard.ports((step: SwitchoverStep) => {
      if (step === stalled) lateMs = SWITCHOVER_MS.hold - SWITCHOVER_MS.promotion + 1;
      return Promise.resolve();
    });
    const clock = { uptimeMs: () => performance.now() + lateMs };
    const result = await attempt(shard, { ...ports, clock });
    assert.ok(result.kind === "aborted", JSON.stringify(result));
    assert.match(result.reason, /clients have been held for \d+ ms, allowed are 3000/);
    await load.more();
    await shard.requireOnePrimary();
    assert.equal(shard.shard().primary, 1);
    const next = await attempt(shard, shard.ports());
    assert.equal(next.kind, "done", JSON.stringify(next));
    await load.requireNothingLost();
  });

/** The result of a switchover that is begun: it is refused while the replica acknowledges late, as on a machine that is short of processors. */
async function attempt(shard: TestShard, ports: ShardPorts): Promise<SwitchoverResult> {
  for (;;) {
    const result = await switchOver({ record: shard.record(), shard: 1, to: 2 }, ports);
    if (result.kind !== "refused" || !/acknowledged \d+ s ago/.test(result.reason)) return result;
    await setTimeout(100);
  }
}
