import assert from "node:assert/strict";
import { test } from "node:test";
import { evenSlots } from "../slots/shard-slots.ts";
import type { BackupFile, BackupManifest } from "./manifest.ts";
import { filesFor, type RestoredShard } from "./restore.ts";

const REDIS = { family: "redis", version: "7.2.4" } as const;
const READABLE: BackupManifest["readableFrom"] = [
  { family: "redis", version: "7.2" },
  { family: "valkey", version: "7.2" },
];
const TWO = evenSlots(2);

test("each shard gets the file of its slots, in whatever order they are", () => {
  const files = filesFor({ files: [file(0), file(1)], readableFrom: READABLE }, [shard(1), shard(0)], REDIS);
  assert.ok(files instanceof Map);
  assert.deepEqual(
    [...files].map(([id, { shard: of }]) => [id, of]),
    [
      [11, 1],
      [10, 0],
    ],
  );
});

for (const [rule, shards, engine, refusal] of [
  [
    "an engine that is too old",
    [shard(0), shard(1)],
    { family: "redis", version: "7.0.15" },
    /redis 7\.0\.15 does not read .* it takes redis 7\.2 or valkey 7\.2/,
  ],
  [
    "another family that reads none of that form",
    [shard(0), shard(1)],
    { family: "redict", version: "7.3.0" },
    /redict 7\.3\.0 does not read/,
  ],
  [
    "one shard for two files",
    [{ id: 1, slots: evenSlots(1)[0] ?? [], memory: 1_000 }],
    REDIS,
    /slots 0-8191 8192-16383, and the shards of the database 0-16383/,
  ],
  ["other slots", [shard(0), { ...shard(1), slots: [{ from: 8_191, to: 16_383 }] }], REDIS, /0-8191 8191-16383/],
  [
    "less memory than the data took",
    [shard(0), { ...shard(1), memory: 99 }],
    REDIS,
    /shard 1 took 100 bytes, and it has 99 here/,
  ],
] as const)
  test(`a backup is not restored into ${rule}`, () => {
    const files = filesFor({ files: [file(0), file(1)], readableFrom: READABLE }, shards, engine);
    assert.match("refusal" in files ? files.refusal : "", refusal);
  });

for (const [rule, engine] of [
  ["one of another family that reads the form", { family: "valkey", version: "8.1.1" }],
  ["a later one of the family that wrote it", { family: "redis", version: "8.0.2" }],
] as const)
  test(`a backup is restored into ${rule}`, () => {
    const files = filesFor({ files: [file(0)], readableFrom: READABLE }, [shard(0)], engine);
    assert.ok(files instanceof Map);
  });

test("the engine that wrote a form that is not known reads it", () => {
  assert.ok(filesFor({ files: [file(0)], readableFrom: [] }, [shard(0)], REDIS) instanceof Map);
  const other = filesFor({ files: [file(0)], readableFrom: [] }, [shard(0)], { family: "valkey", version: "9.0.0" });
  assert.match("refusal" in other ? other.refusal : "", /which one does is not known/);
});

function shard(at: number): RestoredShard {
  return { id: 10 + at, slots: TWO[at] ?? [], memory: 1_000 };
}

function file(at: number): BackupFile {
  return {
    shard: at,
    slots: [...(TWO[at] ?? [])],
    file: `a1/shard-${at}.rdb`,
    bytes: 50,
    memory: 100,
    sha256: "f".repeat(64),
    keys: 1,
    rdb: 11,
    engine: REDIS,
    role: "replica",
    replicationId: "e".repeat(40),
    offset: 14,
    at: "2026-11-30T01:00:01.000Z",
  };
}
