import assert from "node:assert/strict";
import { mkdtempDisposable, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { isFault } from "#kit/base/fault";
import { faults } from "../faults.ts";
import { makeLocalFolder } from "./make-folder.ts";

test("folders above it are made too, and one that is there is taken", async () => {
  await using place = await mkdtempDisposable(join(tmpdir(), "folder-"));
  const folder = join(place.path, "a", "b");
  await makeLocalFolder(folder);
  await makeLocalFolder(folder);
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
});

test("refused, with the folder and the reason: below a file, and where no folder can be", async () => {
  await using place = await mkdtempDisposable(join(tmpdir(), "folder-"));
  const file = join(place.path, "file");
  await writeFile(file, "");
  for (const folder of [file, join(file, "x"), "/proc/x", "/proc/x/y"])
    await assert.rejects(makeLocalFolder(folder), (error) => isFault(error, faults.folder), folder);
});
