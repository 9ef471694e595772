import assert from "node:assert/strict";
import { test } from "node:test";
import type { SettingValues } from "../../api/settings/types.ts";
import { diskBytes, usageOf } from "./disk-budget.ts";

const MIB = 1024 * 1024;

const rules: readonly (readonly [
  rule: string,
  persistence: SettingValues["persistence"],
  mib: number,
  want: number,
])[] = [
  ["without persistence, one copy that a replica receives", "disabled", 1000, 1004],
  ["with snapshots, the one before, too", "snapshotEvery1Hour", 1000, 2004],
  ["an append-only file is twice its data, and is rewritten beside it", "aofEverySecond", 1000, 4004],
  ["a short one is rewritten from 64 MiB on", "aofAlways", 10, 88],
];
for (const [rule, persistence, mib, want] of rules)
  test(`disk of an instance: ${rule}`, () => {
    assert.equal(diskBytes({ memoryBytes: mib * MIB, persistence }) / MIB, want);
  });

test("what databases have is room for databases; what others have, and a reserve, is not", () => {
  const held = [
    { bdb: 1, bytes: 300 * MIB, budget: 200 * MIB },
    { bdb: 2, bytes: 100 * MIB, budget: 200 * MIB },
  ];
  const { room, over } = usageOf({ total: 10_000 * MIB, free: 1_000 * MIB }, held);
  assert.equal(room / MIB, 1_000 + 400 - 500);
  assert.deepEqual(over, [held[0]]);
});
