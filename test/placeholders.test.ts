import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesBelow } from "./kit/architecture/import-graph.ts";
import { patchCluster } from "../src/core/api/kubectl.ts";
import { placeholder } from "#kit/base/shell-word";

const ROOT = join(import.meta.dirname, "..");

/** A call that makes a command, with a text in it that a reader is to fill in. */
const FILLED_IN =
  /\b(?:patch\w*|mergeObject\w*|createSecret\w*|annotate\w*|callApi|editObject|deleteObjects|getObjects|describeObject)\([^\n)]*["'`][^"'`\n)]*<[a-z]/;

test("what a reader fills in is a placeholder in each command, also in a body of JSON", () => {
  assert.equal(isPlain('editObject("rec <name>")'), true);
  assert.equal(isPlain('editObject(placeholder("rec <name>"))'), false);
  const files = filesBelow(ROOT, ["packages", "src"]).filter((file) => !file.endsWith(".test.ts"));
  const lines = files.flatMap((file) =>
    readFileSync(join(ROOT, file), "utf8")
      .split("\n")
      .flatMap((line, at) => (isPlain(line) ? [`${file}:${at + 1}: ${line.trim()}`] : [])),
  );
  assert.deepEqual(lines, []);
});

test("a placeholder in a body of JSON is quoted as its text", () => {
  const grow = patchCluster("rec", { persistentSpec: { volumeSize: placeholder("<larger>") } });
  assert.equal(grow, `kubectl patch rec rec --type merge -p '{"spec":{"persistentSpec":{"volumeSize":"<larger>"}}}'`);
});

function isPlain(line: string): boolean {
  return FILLED_IN.test(line.replaceAll(/placeholder\((?:"[^"]*"|`[^`]*`)\)/g, ""));
}
