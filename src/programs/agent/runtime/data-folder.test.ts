import assert from "node:assert/strict";
import { mkdtempDisposable, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isFault } from "#kit/base/fault";
import { faults } from "../faults.ts";
import { openDataFolder } from "./data-folder.ts";

test("a data folder is created, and found again", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "data-folder-"));
  const path = join(folder.path, "var", "lib", "store");
  await openDataFolder(path);
  await openDataFolder(path);
  assert.ok((await stat(path)).isDirectory());
});

test("a node whose data folder cannot be written does not start; the fault names folder and reason", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "data-folder-"));
  await writeFile(join(folder.path, "file"), "");
  const path = join(folder.path, "file", "store");
  await assert.rejects(
    openDataFolder(path),
    (error) => isFault(error, faults.dataNotWritable) && error.message.includes(path) && /ENOTDIR/.test(error.message),
  );
});
