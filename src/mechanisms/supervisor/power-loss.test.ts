import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { makeVolume, whyNoVolume } from "../../../test/kit/chaos/power-loss.ts";
import { makeFolder, replaceFile } from "#kit/files/replace-file";

const options = { skip: whyNoVolume() };

test("what is only written is lost with the power", options, async () => {
  await using volume = await makeVolume();
  await writeFile(join(volume.folder, "file"), "text");
  assert.deepEqual(await readdir(await volume.losePower()), []);
});

test("a file that was replaced has the new content after a loss of power, each time", options, async () => {
  await using volume = await makeVolume();
  for (const content of ["first", "second"]) {
    await replaceFile(join(volume.folder, "file"), content);
    const left = await volume.losePower();
    assert.deepEqual(await readdir(left), ["file"]);
    assert.equal(await readFile(join(left, "file"), "utf8"), content);
  }
});

test("a folder that was made is there after a loss of power, with those around it", options, async () => {
  await using volume = await makeVolume();
  await makeFolder(join(volume.folder, "outer", "inner"));
  assert.deepEqual(await readdir(join(await volume.losePower(), "outer")), ["inner"]);
});
