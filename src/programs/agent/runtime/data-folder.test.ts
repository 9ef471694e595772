import assert from "node:assert/strict";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { isFault } from "../../../core/base/fault.ts";
import { faults } from "../faults.ts";
import { openDataFolder } from "./data-folder.ts";

const folder = await mkdtemp(join(tmpdir(), "data-folder-"));
after(() => rm(folder, { recursive: true }));

test("a data folder is created, and found again", async () => {
  const path = join(folder, "var", "lib", "store");
  await openDataFolder(path);
  await openDataFolder(path);
  assert.ok((await stat(path)).isDirectory());
});

test("a node whose data folder cannot be written does not start; the fault names folder and reason", async () => {
  await writeFile(join(folder, "file"), "");
  const path = join(folder, "file", "store");
  await assert.rejects(
    openDataFolder(path),
    (error) => isFault(error, faults.dataNotWritable) && error.message.includes(path) && /ENOTDIR/.test(error.message),
  );
});
