import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isFindingId } from "../src/core/planner/prerequisites/finding-ids.ts";
import { filesBelow } from "./kit/architecture/import-graph.ts";

const ROOT = join(import.meta.dirname, "..");
const sources = filesBelow(ROOT, ["src"])
  .filter((file) => !/\.test\.ts$|\/testing\//.test(file))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), "utf8") }));

test("every id that the source gives a finding is known", () => {
  assert.deepEqual(namesOfFindings('return block("NodeNumber", x, y); wait(\n "Typo", x)'), ["NodeNumber", "Typo"]);
  const unknown = sources
    .filter(({ text }) => text.includes('findings/finding.ts"'))
    .flatMap(({ file, text }) =>
      namesOfFindings(text)
        .filter((id) => !isFindingId(id))
        .map((id) => `${file}: ${id}`),
    );
  assert.deepEqual(unknown, []);
});

test("every known id is used: none is left of a finding that is made no more", () => {
  const list = "src/core/planner/prerequisites/finding-ids.ts";
  const listed = [...(sources.find(({ file }) => file === list)?.text ?? "").matchAll(/^ {2}"(\w+)",$/gm)].map(
    ([, id = ""]) => id,
  );
  assert.ok(listed.length > 50);
  const others = sources.filter(({ file }) => file !== list).map(({ text }) => text);
  const unused = listed.filter((id) => !others.some((text) => text.includes(`"${id}"`)));
  assert.deepEqual(unused, []);
});

/** The first argument of each call that makes a finding, where it stands there as a string. */
function namesOfFindings(text: string): readonly string[] {
  return [...text.matchAll(/(?<![.\w])(?:block|wait|consent|warn|notKnown)\(\s*"(\w+)"/g)].map(([, id = ""]) => id);
}
