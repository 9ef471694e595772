import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "#kit/reconcile/system-clock";
import { fetchCommand } from "../../../test/kit/facts/fetch-command.ts";
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
    const fetching = fetchFile(fetchCommand(Buffer.concat(content), keys, path, 0o600), storeOf(content), systemClock);
    if (refusal === undefined) await fetching;
    else await assert.rejects(fetching, { code: "BACKUP_DAMAGED", message: refusal });
    assert.equal(existsSync(path), refusal === undefined);
  });

function storeOf(pieces: readonly Uint8Array[]) {
  return {
    async *pieces(): AsyncGenerator<Uint8Array> {
      for (const piece of pieces) yield await Promise.resolve(piece);
    },
  };
}
