import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesBelow } from "./kit/architecture/import-graph.ts";

const ROOT = join(import.meta.dirname, "..");
/** The first of the shards: `shards[0]`, `shards.at(0)`, `const [shard] = …shards`. */
const UNNAMED = /shards(?:\(\))?(?:(?:\?\.)?\[0\]|\??\.at\(0\))|\[\s*\w+\s*\]\s*=\s*[^;]*\bshards\b/;

const sources = filesBelow(ROOT, ["src"])
  .filter((file) => !file.endsWith(".test.ts"))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), "utf8") }));

test("no source takes the first of the shards for the database", () => {
  const unnamed = sources.filter(({ text }) => text.split("\n").some((line) => UNNAMED.test(line)));
  assert.deepEqual(
    unnamed.map(({ file }) => file),
    [],
  );
  for (const line of [
    "record.shards[0]?.primary",
    "record?.shards?.[0]",
    "record?.shards?.at(0)",
    "const [shard] = record.shards;",
    "const [first] = (await read()).shards;",
  ])
    assert.match(line, UNNAMED);
});
