import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempDisposable, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { boundLog, lastWarnings } from "./engine-log.ts";
import { endedCleanly, filesIn, readDatabase, readLaunch } from "./instance-files.ts";
import { openSharedFile, readSharedFile } from "#kit/files/shared-file";

const WAITS = { timeout: 20_000 };

/** A folder of an engine with a pipe in place of each file that the agent reads there. */
async function pipes() {
  const folder = await mkdtempDisposable(join(tmpdir(), "store-shared-"));
  const files = filesIn(folder.path);
  execFileSync("mkfifo", [files.logFile, files.launchFile, files.databaseFile, files.cleanFile]);
  return { folder, files };
}

test("a pipe in place of a file of an engine is refused and never waited for", WAITS, async () => {
  const { folder, files } = await pipes();
  await using _folder = folder;
  for (let i = 0; i < 6; i++) {
    for (const read of [readLaunch, readDatabase, endedCleanly]) await assert.rejects(read(files), /is no file/);
    assert.equal(await lastWarnings(files), "");
    assert.equal(await boundLog(files), 0);
  }
});

test("a link is not followed, a long file is refused, and a missing one is none", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "store-shared-"));
  const at = (name: string): string => join(folder.path, name);
  await writeFile(at("file"), "text");
  await symlink(at("file"), at("link"));
  assert.equal(await readSharedFile(at("file")), "text");
  assert.equal(await readSharedFile(at("missing")), undefined);
  await assert.rejects(readSharedFile(at("link")), { code: "ELOOP" });
  await assert.rejects(readSharedFile(at("file"), 3), /longer than 3 bytes/);
  await assert.rejects(openSharedFile(folder.path), /is no file/);
});
