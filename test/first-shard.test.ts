import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesBelow } from "./kit/architecture/import-graph.ts";

const ROOT = join(import.meta.dirname, "..");
/**
 * What still works on the first shard of a database alone, each with the reason. A database of several shards has to change these
 * places. The list only becomes shorter: what is about shards goes over all of them.
 */
const USES: Readonly<Record<string, string>> = {
  "src/programs/agent/api/databases/link-health.ts": "a link carries the stream of one engine",
  "src/programs/agent/node/wanted-link.ts": "a link carries the stream of one engine",
};
/** The first of the shards without its name: `shards[0]`, `shards.at(0)`, `const [shard] = …shards`. */
const UNNAMED = /shards(?:\(\))?(?:\[0\]|\.at\(0\))|\[\s*\w+\s*\]\s*=\s*[^;]*\bshards\b/;
const DECLARATION = "src/core/api/first-shard.ts";

const sources = filesBelow(ROOT, ["src"])
  .filter((file) => file !== DECLARATION && !file.endsWith(".test.ts"))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), "utf8") }));

test("the first shard is taken by its name alone, in the places that the list gives a reason for", () => {
  const uses = sources.filter(({ text }) => /\bfirstShard\(/.test(text)).map(({ file }) => file);
  assert.deepEqual(uses.toSorted(), Object.keys(USES).toSorted());
  const calls = sources.reduce((sum, { text }) => sum + text.split("firstShard(").length - 1, 0);
  assert.equal(calls, Object.keys(USES).length, "one use in each file of the list");
});

test("no source takes the first of the shards without that name", () => {
  const unnamed = sources.filter(({ text }) => text.split("\n").some((line) => UNNAMED.test(line)));
  assert.deepEqual(
    unnamed.map(({ file }) => file),
    [],
  );
  for (const line of [
    "record.shards[0]?.primary",
    "const [shard] = record.shards;",
    "const [first] = (await read()).shards;",
  ])
    assert.match(line, UNNAMED);
});
