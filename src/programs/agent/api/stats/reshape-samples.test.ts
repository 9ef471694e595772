import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, on } from "../../../../../test/kit/facts/database-scene.ts";
import type { DatabaseRecord, ReshapeIntent, ReshapePhase } from "../../../../core/api/records.ts";
import type { MoverReply, MoverStatus } from "../../../../ports/management/mover-control.ts";
import { reshapeSamples } from "./reshape-samples.ts";

const SINCE = "2026-01-01T00:00:00Z";

const status: MoverStatus = {
  sources: [
    { id: 1, offset: 9, history: "h", state: "copying", keys: 300, touched: 0 },
    { id: 2, offset: 9, history: "h", state: "following", keys: 500, touched: 0 },
  ],
  targets: [{ id: 3, state: "copying", copiedBytes: 7_000, sent: 0, applied: 0 }],
};

function reshaped(phase: ReshapePhase, node: number): DatabaseRecord {
  const { record } = factsOf({ instances: [on(1, 1)], record: { name: "orders" } });
  const mover = { node, ports: [] };
  const reshape: ReshapeIntent = { tableEpoch: 1, phase, shards: record.shards, mover, attempt: 2, since: SINCE };
  return { ...record, reshape };
}

function samplesOf(databases: readonly DatabaseRecord[], reply: MoverReply) {
  const clock = { now: () => new Date(Date.parse(SINCE) + 90_000) };
  return reshapeSamples({ node: 2, databases, movers: { ask: () => Promise.resolve(reply) }, clock });
}

test("the node that copies shows how long an attempt has taken, which it is, and what it has copied", async () => {
  const samples = await samplesOf([reshaped("copy", 2)], { ok: true, op: "status", status });
  const values = Object.entries(samples).map(([name, found]) => [name, found.map(({ value }) => value)]);
  assert.deepEqual(values, [
    ["store_reshape_seconds", [90]],
    ["store_reshape_attempt", [2]],
    ["store_reshape_copied_keys", [800]],
    ["store_reshape_copied_bytes", [7_000]],
  ]);
  assert.deepEqual(samples.store_reshape_seconds?.[0]?.labels["database"], "orders");
});

test("a mover that has not begun, or has ended, has copied nothing", async () => {
  const samples = await samplesOf([reshaped("copy", 2)], { ok: false, code: "AGENT_MOVER_AWAITED", message: "later" });
  assert.deepEqual(samples.store_reshape_copied_keys?.[0]?.value, 0);
});

test("no other node shows it, and none once the new shards serve", async () => {
  const others = [reshaped("copy", 1), reshaped("retire", 2), factsOf({ instances: [on(1, 1)] }).record];
  const samples = await samplesOf(others, { ok: true, op: "status", status });
  assert.deepEqual(Object.values(samples).flat(), []);
});
