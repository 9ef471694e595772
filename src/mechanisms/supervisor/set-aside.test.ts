import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { makeVolume, whyNoVolume } from "../../../test/kit/chaos/power-loss.ts";
import { replaceFile } from "#kit/files/replace-file";
import { instanceFiles, prepareDirectory } from "./instance-files.ts";
import { adopt, listSetAside, release, setAside } from "./set-aside.ts";

const DATABASE = { name: "orders", created: "2026-01-01T00:00:00Z" };
const NOW = new Date("2026-02-01T00:00:00Z");
const place = { bdb: 1, instance: 1 };

test(
  "data is set aside, adopted and released so that a loss of power loses none of it",
  { skip: whyNoVolume() },
  async () => {
    await using volume = await makeVolume();
    const directory = { ...place, files: instanceFiles(volume.folder, place.bdb, place.instance) };
    await prepareDirectory(directory.files, DATABASE);
    await replaceFile(join(directory.files.directory, "data"), "all of it");
    const relative = directory.files.directory.slice(volume.folder.length);

    await setAside(volume.folder, directory, NOW);
    const apart = await volume.losePower();
    const [kept] = await listSetAside(apart);
    assert.equal(kept?.name, "orders");
    assert.equal(await readFile(join(apart, "set-aside", kept.id, "data"), "utf8"), "all of it");

    await adopt(volume.folder, kept, directory.files.directory);
    const adopted = await volume.losePower();
    assert.equal(await readFile(join(adopted, relative, "data"), "utf8"), "all of it");
    assert.deepEqual(await listSetAside(adopted), []);

    await setAside(volume.folder, directory, NOW);
    await release(volume.folder, kept);
    assert.deepEqual(await listSetAside(volume.folder), []);
  },
);
