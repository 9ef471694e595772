import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames } from "../../../../test/kit/engines/engine.ts";
import { startShard } from "../../../../test/kit/engines/shard.ts";
import { SWITCHOVER_MS } from "./ports.ts";
import { resolveIntent } from "./resolve.ts";
import { switchOver } from "./switchover.ts";

test("when the record cannot be written after the promotion, clients were held no longer than until their release, and resolving ends it", async () => {
  await using shard = await startShard([engineNames()[0] ?? "", engineNames().at(-1) ?? ""]);
  let isAway = false;
  const ports = shard.ports((at) => {
    isAway ||= at === "demote";
    return Promise.resolve();
  });
  const change: typeof ports.change = (act) =>
    isAway ? Promise.reject(new Error("the API is away")) : ports.change(act);
  const result = await switchOver({ record: shard.record(), shard: 1, to: 2 }, { ...ports, change });
  assert.ok(result.kind === "unresolved", result.kind);
  assert.deepEqual([result.step, result.reason], ["commit", "the API is away"]);
  assert.ok(result.heldMs > 0 && result.heldMs < SWITCHOVER_MS.hold / 2, `${result.heldMs} ms`);
  const resolved = await resolveIntent({ record: shard.record(), shard: 1, targetDead: false }, shard.ports());
  assert.equal(resolved.kind, "finished");
  await shard.requireOnePrimary();
});
