import assert from "node:assert/strict";
import { appendFile, mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { noteSizes, readNotedSizes } from "./noted-sizes.ts";

test("the note says what the files held when it was made, and another one takes its place", async () => {
  await using at = await mkdtempDisposable(join(tmpdir(), "appended-"));
  const folder = join(at.path, "appendonlydir");
  assert.equal(await readNotedSizes(folder), undefined, "nothing was noted");
  await noteSizes(folder);
  assert.deepEqual(await readNotedSizes(folder), new Map(), "there is no folder yet");
  await mkdir(folder);
  await writeFile(join(folder, "a.1.incr.aof"), "12345");
  await noteSizes(folder);
  await appendFile(join(folder, "a.1.incr.aof"), "6");
  assert.deepEqual(await readNotedSizes(folder), new Map([["a.1.incr.aof", 5]]));
  await noteSizes(folder);
  assert.deepEqual(await readNotedSizes(folder), new Map([["a.1.incr.aof", 6]]));
});
