import assert from "node:assert/strict";
import { mkdir, mkdtempDisposable, readFile, readdir, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { replaceFile } from "./replace-file.ts";

test("a file is replaced as a whole, for its owner alone", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "replace-"));
  const path = join(folder.path, "file");
  await replaceFile(path, "a longer text");
  await replaceFile(path, "text");
  assert.equal(await readFile(path, "utf8"), "text");
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(folder.path), ["file"]);
});

test("a file that cannot be replaced stays as it was, and nothing is left beside it", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "replace-"));
  const path = join(folder.path, "file");
  await mkdir(path);
  await assert.rejects(replaceFile(path, "text"), /EISDIR/);
  assert.deepEqual(await readdir(folder.path), ["file"]);
});
