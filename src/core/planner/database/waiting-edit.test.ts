import assert from "node:assert/strict";
import { test } from "node:test";
import { databaseView as view, existingDatabase } from "../../../../test/kit/facts/database-view.ts";
import type { ExistingDatabase } from "./plan.ts";
import { planDatabase } from "./plan.ts";

const RESHAPE = "the database gets 3 shards instead of 1";
const atWork = (change: Partial<ExistingDatabase> = {}): ExistingDatabase =>
  existingDatabase({ isSettled: false, underWay: RESHAPE, ...change });

for (const [name, spec, existing, fields] of [
  [
    "a setting waits for the change that is under way",
    { evictionPolicy: "noeviction" },
    atWork(),
    "spec.evictionPolicy is",
  ],
  [
    "several things wait together",
    { evictionPolicy: "noeviction", storeVersion: "8.0", shardCount: 3 },
    atWork(),
    "spec.evictionPolicy, spec.shardCount, spec.storeVersion are",
  ],
  [
    "less memory waits also where more would not",
    { memorySize: "100MB" },
    atWork({ mayGrow: true, memoryBytes: 200_000_000 }),
    "spec.memorySize is",
  ],
  ["a version waits for another change", { storeVersion: "8.0" }, atWork({ mayGrow: true }), "spec.storeVersion is"],
] as const)
  test(name, () => {
    const { drift, findings } = planDatabase(view(spec, { existing }));
    assert.deepEqual([findings, drift?.id, drift?.severity], [[], "EditWaits", "warn"]);
    assert.equal(drift?.evidence, `${fields} applied once this has ended: ${RESHAPE}`);
    assert.match(drift.remedy, /kubectl get redb orders -w/);
  });

for (const [name, spec, existing] of [
  ["nothing waits at a database at rest: the edit is sent", { evictionPolicy: "noeviction" }, existingDatabase()],
  ["nothing waits where the spec says what is there", {}, atWork()],
  ["more memory does not wait for other shards, which may need it", { memorySize: "200MB" }, atWork({ mayGrow: true })],
  ["nor does another number of shards, which ends them", { shardCount: 2 }, atWork({ mayGrow: true, shards: 3 })],
  [
    "the version of the upgrade that is under way does not wait",
    { storeVersion: "8.0" },
    atWork({ upgradesTo: "8.0" }),
  ],
] as const)
  test(name, () => {
    assert.equal(planDatabase(view(spec, { existing })).drift, undefined);
  });
