import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "#kit/reconcile/system-clock";
import { fetchFile } from "./fetch-file.ts";

// Objects whose SHA-256 is that of the manifest: whoever may write into the bucket can make it so.

const HEAD = Buffer.from("REDIS0010");
const KEY = Buffer.from("\0\x01a\x01b");
const END = Buffer.concat([Buffer.of(255), Buffer.alloc(8)]);

for (const [rule, content, keys, refusal] of [
  ["has its keys", [HEAD, KEY, END], 1, undefined],
  ["is of a backup that does not say how many keys it has", [HEAD, END], undefined, undefined],
  ["has what this release does not know", [HEAD, KEY, Buffer.of(26, 1, 1), END], 7, undefined],
  ["ends before its first key", [HEAD, END, KEY, END], 1, /does not end with its end/],
  ["is empty, and was not", [HEAD, END], 1, /has 0 keys, and the manifest says 1/],
  ["has one key more", [HEAD, KEY, Buffer.from("\0\x01c\x01d"), END], 1, /has 2 keys, and the manifest says 1/],
  ["has no end", [HEAD, KEY], 1, /does not end with its end/],
  ["is no snapshot", [Buffer.from("\x1b[2Kno snapshot")], 1, /is no snapshot: .*begins with "\\u001b\[2Kno sn"/],
] as const)
  test(`a file that ${rule} is ${refusal === undefined ? "put where it is wanted" : "refused, and not there"}`, async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), "fetch-file-"));
    const path = join(folder.path, "dump.rdb");
    const fetching = fetchFile(commandFor(Buffer.concat(content), keys, path), storeOf(content), systemClock);
    if (refusal === undefined) await fetching;
    else await assert.rejects(fetching, { code: "BACKUP_DAMAGED", message: refusal });
    assert.equal(existsSync(path), refusal === undefined);
  });

function commandFor(bytes: Buffer, keys: number | undefined, path: string) {
  const file = {
    shard: 1,
    slots: [{ from: 0, to: 16_383 }],
    file: "0123456789abcdef/shard-1.rdb",
    bytes: bytes.length,
    memory: 0,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    ...(keys === undefined ? {} : { keys }),
    rdb: 10,
    engine: { family: "redis" as const, version: "7.0.15" },
    role: "replica" as const,
    replicationId: "e".repeat(40),
    offset: 0,
    at: "2026-11-30T00:00:00.000Z",
  };
  const store = { bucket: "b", region: "r", pathStyle: true, accessKeyId: "a", secretAccessKey: "s" };
  return { op: "fetch" as const, name: "nightly", folder: "folder", store, file, path, mode: 0o600 };
}

function storeOf(pieces: readonly Uint8Array[]) {
  return {
    async *pieces(): AsyncGenerator<Uint8Array> {
      for (const piece of pieces) yield await Promise.resolve(piece);
    },
  };
}
