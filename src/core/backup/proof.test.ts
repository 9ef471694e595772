import assert from "node:assert/strict";
import { test } from "node:test";
import type { BackupFile } from "./manifest.ts";
import { engineForProof, missingRoom, wrongWith, type ProofRoom } from "./proof.ts";

const MIB = 1_048_576;

for (const [rule, room, missing] of [
  ["there is room", { memory: 200 * MIB, disk: 60 * MIB }, undefined],
  ["no limit of the memory is known", { memory: undefined, disk: 60 * MIB }, undefined],
  [
    "the memory is too small",
    { memory: 100 * MIB, disk: 60 * MIB },
    /shard 3 needs 167 MB of memory .* 104 MB are free/,
  ],
  ["more was promised than there is", { memory: -5 * MIB, disk: 60 * MIB }, /and 0 MB are free/],
  ["the volume is too small", { memory: 200 * MIB, disk: 40 * MIB }, /shard 3 needs 53 MB of its volume, and 41 MB/],
  ["one byte is missing", { memory: 200 * MIB, disk: 50 * MIB - 1 }, /shard 3 needs 53 MB of its volume, and 52 MB/],
] as const satisfies readonly (readonly [string, ProofRoom, RegExp | undefined])[])
  test(`room for an engine that loads a file: ${rule}`, () => {
    const said = missingRoom(file({ memory: 100 * MIB, bytes: 50 * MIB }), room);
    if (missing === undefined) assert.equal(said, undefined);
    else assert.match(said ?? "", missing);
  });

test("an empty file needs the memory of an engine, and one that says too little what it has itself", () => {
  const room = { memory: 15 * MIB, disk: MIB };
  assert.match(missingRoom(file({ memory: 0, bytes: 100 }), room) ?? "", /26 MB of memory/);
  assert.match(missingRoom(file({ memory: 0, bytes: MIB * 0.9 }), room) ?? "", /27 MB of memory/);
});

const FOUND = [
  { family: "redis", version: "8.0.2" },
  { family: "redis", version: "7.2.9" },
  { family: "valkey", version: "8.1.1" },
  { family: "redis", version: "7.2.4" },
] as const;

for (const [rule, wrote, chosen] of [
  ["the one that wrote it", ["7.2.4"], "7.2.4"],
  ["the next later one of its family", ["7.2.5"], "7.2.9"],
  ["one that is at least as late as each that wrote a file", ["7.2.4", "7.4.0"], "8.0.2"],
  ["none that is older than it", ["8.2.0"], undefined],
] as const)
  test(`the engine that loads a backup is ${rule}`, () => {
    const files = wrote.map((version) => file({ engine: { family: "redis", version } }));
    assert.equal(engineForProof({ files }, FOUND)?.version, chosen);
  });

for (const [rule, keys, loaded, isRight] of [
  ["all keys are there", 5, { keys: 5, expired: 0 }, true],
  ["some have expired since", 5, { keys: 3, expired: 2 }, true],
  ["one is missing", 5, { keys: 3, expired: 1 }, false],
  ["there is one more", 5, { keys: 6, expired: 0 }, false],
  ["they were not counted", undefined, { keys: 6, expired: 0 }, true],
] as const)
  test(`what is loaded is ${isRight ? "right" : "wrong"}: ${rule}`, () => {
    const wrong = wrongWith(keys === undefined ? {} : { keys }, { ...loaded, digest: "0".repeat(40) });
    assert.equal(wrong === undefined, isRight);
  });

function file(change: Partial<BackupFile>): BackupFile {
  return {
    shard: 3,
    slots: [{ from: 0, to: 16_383 }],
    file: "a1/shard-3.rdb",
    bytes: 100,
    memory: 100,
    sha256: "f".repeat(64),
    keys: 1,
    rdb: 11,
    engine: { family: "redis", version: "7.2.4" },
    role: "replica",
    replicationId: "e".repeat(40),
    offset: 14,
    at: "2026-11-30T01:00:01.000Z",
    ...change,
  };
}
