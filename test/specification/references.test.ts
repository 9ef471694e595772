import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesBelow } from "../kit/architecture/import-graph.ts";
import { SECTIONS } from "../kit/specification/rules.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Numbers of rules, and of the sections around them. */
const NUMBERS = new Set(
  SECTIONS.flatMap(({ rules }) => rules)
    .map((rule) => /^§([\d.]*\d)/.exec(rule)?.[1] ?? "")
    .flatMap((number) => number.split(".").map((_, at, parts) => parts.slice(0, at + 1).join("."))),
);
/** The sections of other documents are named with them. */
const REFERENCE = /(RFC \d+ )?§([\d.]*\d)/g;

/** What a line refers to that no reader can look up. */
function dangling(line: string): readonly string[] {
  const sections = [...line.matchAll(REFERENCE)].filter(([, rfc, number = ""]) => !rfc && !NUMBERS.has(number));
  const others = line.replace(/^\s*case \d+:/, "").match(/\bcase \d+\b(?=[:.,)])|\bproduct facts\b/gi) ?? [];
  return [...sections.map(([text]) => text), ...others];
}

test("every section that the source names is one of the upgrade procedure that has a rule", () => {
  const found = filesBelow(ROOT, ["src"]).flatMap((file) =>
    readFileSync(join(ROOT, file), "utf8")
      .split("\n")
      .flatMap((line) => dangling(line).map((text) => `${file}: ${text}`)),
  );
  assert.deepEqual(found, []);
});

test("a section without a rule, the number of a case and a document of others are found", () => {
  const lines = [
    "/** §4.7: no such. */",
    "/** §9, and RFC 5280 §4.2.1.2. */",
    "/** Case 21: old. */",
    "// product facts §1",
  ];
  assert.deepEqual(
    lines.map((line) => dangling(line)),
    [["§4.7"], [], ["Case 21"], ["product facts"]],
  );
});
