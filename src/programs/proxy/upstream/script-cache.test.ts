import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryBudget } from "../limits/memory-budget.ts";
import { ScriptCache } from "./script-cache.ts";

const MEBIBYTE = 2 ** 20;

test("scripts of all databases have one limit: the database with the most forgets what was not used for longest", () => {
  const memory = new MemoryBudget(4 * MEBIBYTE);
  const [few, many] = [new ScriptCache(memory), new ScriptCache(memory)];
  few.add(script("few", 1));
  for (const name of ["a", "b", "c"]) many.add(script(name, 1));
  many.add(script("a", 1)); // used again
  few.add(script("further", 1));
  assert.deepEqual(namesIn(few), ["few", "further"]);
  assert.deepEqual(namesIn(many), ["a"]);
  assert.equal(many.heldBytes, MEBIBYTE);
});

test("scripts that are forgotten make room for those of other databases", () => {
  const memory = new MemoryBudget(2 * MEBIBYTE);
  const [gone, other] = [new ScriptCache(memory), new ScriptCache(memory)];
  gone.add(script("a", 2));
  gone.clear();
  other.add(script("b", 2));
  assert.deepEqual([namesIn(gone), namesIn(other)], [[], ["b"]]);
});

function script(name: string, mebibytes: number): Buffer {
  return Buffer.from(`${name} `.padEnd(mebibytes * MEBIBYTE, "-"));
}

function namesIn(scripts: ScriptCache): readonly string[] {
  return scripts.entries().map(([, body]) => body.toString("latin1", 0, body.indexOf(" ")));
}
