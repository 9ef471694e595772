import assert from "node:assert/strict";
import { test } from "node:test";
import type { DatabaseTemplate } from "../api/restore-spec.ts";
import { sentenceOf } from "../planner/findings/finding.ts";
import { planRestore, type SavedBackup } from "./plan-restore.ts";

const ONE: SavedBackup = {
  name: "nightly",
  ended: "2026-11-30T00:00:00.000Z",
  database: { namespace: "shop", name: "orders", redis_version: "7.4" },
  files: [{ assigned_slots: "0-16383", bytes: 10, memory: 5_000_000 }],
  redis_versions: ["7.2", "7.4", "8.0"],
};
const even = ["0-8191", "8192-16383"].map((assigned_slots) => ({ assigned_slots, bytes: 10, memory: 60_000_000 }));
const uneven = ["0-99", "100-16383"].map((assigned_slots) => ({ assigned_slots, bytes: 10, memory: 1_000_000 }));

function specOf(saved: Partial<SavedBackup>, template: DatabaseTemplate = {}, now?: DatabaseTemplate) {
  const plan = planRestore({ ...ONE, ...saved }, template, now);
  return "id" in plan ? sentenceOf(plan) : plan.spec;
}

test("shards, slots and version are those of the backup", () => {
  assert.deepEqual(specOf({}), { storeVersion: "7.4", memorySize: "100MB" });
  assert.deepEqual(specOf({ files: even }), { storeVersion: "7.4", shardCount: 2, memorySize: "150MB" });
  const slots = { shardCount: 2, shardSlots: ["0-99", "100-16383"] };
  assert.deepEqual(specOf({ files: uneven }), { storeVersion: "7.4", ...slots, memorySize: "205MB" });
});

const FOUR = ["0-4095", "4096-8191", "8192-12287", "12288-16383"].map((assigned_slots, at) => {
  return { assigned_slots, bytes: 10, memory: (at + 1) * 10_000_000 };
});

function planOf(saved: Partial<SavedBackup>, template: DatabaseTemplate) {
  const plan = planRestore({ ...ONE, ...saved }, template, undefined);
  assert.ok(!("id" in plan), JSON.stringify(plan));
  return plan;
}

test("other shards are asked for by the object, and the backup's are those it is made with", () => {
  const { spec, shown, first } = planOf({ files: FOUR }, { shardCount: 3 });
  // 40 MB and a third of 30 MB are expected in the last one
  assert.deepEqual(spec, { storeVersion: "7.4", shardCount: 3, memorySize: "200MB" });
  assert.deepEqual(shown, { storeVersion: "7.4", shardCount: 3, firstShardCount: 4, memorySize: "200MB" });
  assert.deepEqual(first, ["0-4095", "4096-8191", "8192-12287", "12288-16383"]);
  const one = planOf({ files: FOUR }, { shardCount: 1 });
  assert.deepEqual([one.spec.shardCount, one.shown.firstShardCount], [1, 4]);
  const two = planOf({}, { shardCount: 2 });
  assert.deepEqual([two.spec.shardCount, two.first, two.shown.firstShardCount], [2, ["0-16383"], 1]);
});

test("so are other slots", () => {
  const shardSlots = ["0-99", "100-16383"];
  const { spec, shown, first } = planOf({ files: even }, { shardSlots, memorySize: "1GB" });
  assert.deepEqual([spec.shardCount, spec.shardSlots, first], [2, shardSlots, ["0-8191", "8192-16383"]]);
  assert.deepEqual([shown.shardSlots, shown.firstShardCount, shown.firstShardSlots], [shardSlots, 2, undefined]);
  const back = planOf({ files: uneven }, { shardSlots: ["0-8191", "8192-16383"] });
  assert.deepEqual([back.shown.firstShardSlots, back.first], [shardSlots, shardSlots]);
});

test("shards that the backup has are no others, in whichever way they are asked for", () => {
  for (const template of [{}, { shardCount: 2 }, { shardSlots: ["8192-16383=40%", "0-8191"], memorySize: "1GB" }]) {
    const { first, shown } = planOf({ files: even }, template);
    assert.deepEqual([first, shown.firstShardCount], [undefined, undefined]);
  }
});

test("everything else is as the saved database has it now, but for what is its own", () => {
  const backup = { s3: { bucketName: "backups", awsSecretName: "keys" } };
  const secrets = { databaseSecretName: "its", certificateSecretName: "its" };
  const own = { ...secrets, databasePort: 12_000, shardCount: 3, backup } as const;
  const shared = { replication: true, evictionPolicy: "allkeys-lru", memorySize: "2GB" } as const;
  const now = { ...own, ...shared, storeVersion: "8.0" } as const;
  assert.deepEqual(specOf({}, {}, now), { ...shared, storeVersion: "7.4" });
  assert.deepEqual(specOf({}, { replication: false, memorySize: "1GB" }, now), {
    ...shared,
    replication: false,
    memorySize: "1GB",
    storeVersion: "7.4",
  });
  assert.deepEqual(specOf({}, { backup }, now), { ...shared, storeVersion: "7.4", backup });
});

test("a saved database that has become too small gets what its data need", () => {
  assert.deepEqual(specOf({ files: even }, {}, { memorySize: "110MB" }), {
    storeVersion: "7.4",
    shardCount: 2,
    memorySize: "150MB",
  });
});

test("a version that is not there any more gives way to the next one that reads the files", () => {
  assert.deepEqual(specOf({ redis_versions: ["8.0", "8.2"] }), { storeVersion: "8.0", memorySize: "100MB" });
  assert.deepEqual(specOf({ redis_versions: ["7.2"] }), { storeVersion: "7.2", memorySize: "100MB" });
});

for (const [rule, saved, template, says] of [
  [
    "a number that is not that of the slots",
    {},
    { shardCount: 3, shardSlots: ["0-99", "100-16383"] },
    /^spec\.database\.shardCount: it is 3, and shardSlots has 2 entries/,
  ],
  [
    "other shards that need more memory",
    { files: FOUR },
    { shardSlots: ["0-8191=70%", "8192-16383=30%"], memorySize: "200MB" },
    /^spec\.database\.memorySize: 200MB gives shard 2 of the 2 that are asked for .* took about 70 MB; remedy: make another restore/,
  ],
  [
    "more shards than the memory is enough for",
    {},
    { shardCount: 8, memorySize: "150MB" },
    /^spec\.database\.memorySize: 8 shards need at least 160 MB together/,
  ],
  [
    "other shards of a database with modules",
    {},
    { shardCount: 2, modulesList: [{ name: "search" }] },
    /^spec\.database\.shardCount: the commands of modules \(search\)/,
  ],
  ["slots that are none", { files: even }, { shardSlots: ["0-99"] }, /^spec\.database\.shardSlots: no shard has slot/],
  [
    "a version that does not read it",
    {},
    { storeVersion: "8.2" },
    /^spec\.database\.storeVersion: 8\.2 does not: 7\.2, 7\.4, 8\.0/,
  ],
  [
    "too little memory",
    { files: even },
    { memorySize: "100MB" },
    /^spec\.database\.memorySize: 100MB gives a shard 50000000 bytes/,
  ],
  ["a memory that is none", {}, { memorySize: "much" }, /^spec\.database\.memorySize: it is no size/],
  [
    "backups at no time of their interval",
    {},
    { backup: { s3: { bucketName: "backups", awsSecretName: "keys" }, interval: 3_600, intervalOffset: 3_600 } },
    /^spec\.database\.backup\.intervalOffset: must be less than the interval/,
  ],
  ["no engine", { redis_versions: [] }, {}, /no version of this cluster reads it; remedy: upgrade the cluster/],
  ["files that are no table", { files: even.slice(1) }, {}, /no table: no shard has slot 0/],
] as const)
  test(`${rule}: refused with what is wrong`, () => {
    const said = specOf(saved, template as DatabaseTemplate); // readonly lists
    assert.match(typeof said === "string" ? said : "", says);
  });
