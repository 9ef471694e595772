import assert from "node:assert/strict";
import { test } from "node:test";
import type { DatabaseTemplate } from "../api/restore-spec.ts";
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
  return "reason" in plan ? plan.message : plan.spec;
}

test("shards, slots and version are those of the backup", () => {
  assert.deepEqual(specOf({}), { storeVersion: "7.4", memorySize: "100MB" });
  assert.deepEqual(specOf({ files: even }), { storeVersion: "7.4", shardCount: 2, memorySize: "150MB" });
  const slots = { shardCount: 2, shardSlots: ["0-99", "100-16383"] };
  assert.deepEqual(specOf({ files: uneven }), { storeVersion: "7.4", ...slots, memorySize: "205MB" });
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
  ["other shards", {}, { shardCount: 2 }, /^spec\.database\.shardCount: it is 2, and the backup has 1 files/],
  [
    "other slots",
    { files: even },
    { shardSlots: ["0-99", "100-16383"] },
    /^spec\.database\.shardSlots: .* 0-8191 8192-16383/,
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
