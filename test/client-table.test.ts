import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { NAMES, sourceOf, versionOf } from "./kit/clients/libraries.ts";
import { rowsOf, settingsOf } from "./kit/clients/table.ts";

const page = await readFile(join(import.meta.dirname, "../docs/upgrades.md"), "utf8");
const rows = rowsOf(page);

test("the page has a row for each client library of the kit, with the release that the kit uses", async () => {
  for (const name of NAMES) assert.equal(rows.get(name)?.version, await versionOf(name), name);
  assert.equal(rows.size, NAMES.length);
});

test("the page says what to do for each library whose writes fail without an option", () => {
  for (const [name, { isSentAgain }] of rows) {
    if (!isSentAgain.default) assert.ok(page.includes(`\n#### ${name}\n`), name);
    if (!isSentAgain.default && isSentAgain.several) assert.ok(settingsOf(page, name).length > 0, name);
  }
});

test("each line of the settings is one that the kit's client of the library runs", async () => {
  for (const name of NAMES) {
    const source = await sourceOf(name);
    for (const line of settingsOf(page, name).filter((one) => one.trim() !== ""))
      assert.ok(source.includes(line.trim()), `${name}: ${line}`);
  }
});
