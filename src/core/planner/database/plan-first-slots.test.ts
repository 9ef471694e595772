import assert from "node:assert/strict";
import { test } from "node:test";
import { nearby, references } from "../../../../test/kit/facts/references.ts";
import { databaseView as view, existingDatabase as existing } from "../../../../test/kit/facts/database-view.ts";
import { planDatabase } from "./plan.ts";

// A database that gets the data of a backup in other shards than its object asks for.

const firstSlots = ["0-8191", "8192-16383"];
const many = references({ clusters: [nearby({ shards: { used: 0, limit: 20 } })] });
const unmade = { existing: undefined, home: undefined, firstSlots, references: many };

test("it is made with the shards of the backup, whatever its object asks for", () => {
  for (const spec of [{}, { shardCount: 3 }, { shardSlots: ["0-99", "100-16383"] }]) {
    const { step } = planDatabase(view({ ...spec, storeVersion: "8.0" }, unmade));
    assert.deepEqual(step.kind === "act" ? step.act : step, {
      kind: "create",
      settings: { memory_size: 100_000_000 },
      slots: firstSlots,
      version: "8.0",
      modules: [],
    });
  }
});

test("nothing asks for other shards while it waits for data, and its edit is said to wait", () => {
  const waits = { ...existing({ shards: 2, slots: firstSlots }), isSettled: false, mayGrow: false };
  const { step, drift } = planDatabase(view({ shardCount: 3 }, { existing: waits, firstSlots }));
  assert.deepEqual([step.kind, drift?.id], ["rest", "EditWaits"]);
});

for (const [rule, change] of [
  ["once it serves", {}],
  ["while its replicas get their data", { isSettled: false, mayGrow: true }],
] as const)
  test(`the shards of its object are asked for ${rule}`, () => {
    const serving = { ...existing({ shards: 2, slots: firstSlots }), ...change };
    const { step } = planDatabase(view({ shardCount: 3 }, { existing: serving, firstSlots }));
    const asked = { kind: "update", uid: 1, settings: {}, password: false, shards: 3 };
    assert.deepEqual(step.kind === "act" ? step.act : step, asked);
  });

test("of a database that is there they count for nothing, also those that are no table", () => {
  for (const slots of [firstSlots, ["none"]]) {
    const { step, findings } = planDatabase(view({}, { existing: existing({}), firstSlots: slots }));
    assert.deepEqual([step.kind, findings], ["rest", []]);
  }
});
