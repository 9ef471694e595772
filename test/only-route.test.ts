import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesBelow } from "./kit/architecture/import-graph.ts";

const ROOT = join(import.meta.dirname, "..");
/** How often source asks for the only shard of a database: 0 once requests are routed by their keys. Lower it with each one that goes. */
const LEFT = 10;

const SOURCES = filesBelow(ROOT, ["src/programs/proxy"])
  .filter((file) => !file.endsWith(".test.ts"))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), "utf8") }));

test("source asks for the way to the only shard of a database as often as is written here", () => {
  assert.equal(SOURCES.flatMap(({ text }) => text.match(/\bonlyRoute\(/g) ?? []).length, LEFT);
});

test("no source takes a route by its place in the list, but for commands that name no shard", () => {
  const places = SOURCES.filter(({ text }) => /\broutes(?:\[|\.at\()/.test(text)).map(({ file }) => file);
  assert.deepEqual(places, ["src/programs/proxy/endpoint/endpoint.ts", "src/programs/proxy/upstream/only-route.ts"]);
});
