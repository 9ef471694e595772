import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesBelow } from "../../../../test/kit/architecture/import-graph.ts";
import { DATABASE_SETTINGS } from "./database-settings.ts";

const ROOT = join(import.meta.dirname, "../../../..");

/** docs/architecture.md, "A new setting". */
const MOST_FILES = 4;
/** Placement, admission and upgrade checks decide by these values: their names in records and specs are all over the planner. */
const DECIDE = new Set([
  ...["memoryBytes", "replication", "durability", "withoutInSync", "persistence", "upgradePolicy"],
  "tlsMode",
  "ossCluster",
  "evictionPolicy",
  "shardsPlacement",
  "proxyPolicy",
  "parallelShards",
]);

const sources = filesBelow(ROOT, ["packages", "src"])
  .filter((file) => !file.endsWith(".test.ts"))
  .map((file) => ({ file, words: new Set(readFileSync(join(ROOT, file), "utf8").match(/\w+/g)) }));

for (const [name, { specName, wireName }] of Object.entries(DATABASE_SETTINGS)) {
  const names = DECIDE.has(name) ? [wireName].filter((wire) => wire !== name) : [name, specName, wireName];

  test(`the setting ${name} is written by hand in at most ${MOST_FILES} files`, () => {
    const files = sources.filter(({ words }) => names.some((one) => words.has(one))).map(({ file }) => file);
    assert.ok(files.length <= MOST_FILES, `${names.join(", ")}: ${files.join(", ")}`);
  });
}
