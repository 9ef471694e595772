import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesBelow } from "./kit/architecture/import-graph.ts";
import { namesIn, textsIn, type Words } from "./kit/architecture/words.ts";

const ROOT = join(import.meta.dirname, "..");
const page = readFileSync(join(ROOT, "docs/glossary.md"), "utf8");
const notInNames = firstColumn("| In names, not | But |");
const notInMessages = firstColumn("| In messages, not | But |");
const files = filesBelow(ROOT, ["packages", "src", "test", "scripts", "bench"]).filter((file) => file.endsWith(".ts"));

test("names use the terms of the glossary", () => {
  const names = files.flatMap((file) => namesIn(ROOT, file));
  assert.deepEqual(using(names, notInNames), []);
});

test("messages, columns, conditions, events and generated pages use the terms of the glossary", () => {
  const product = files.filter((file) => /^(src|packages|scripts)\//.test(file) && !file.endsWith(".test.ts"));
  const texts = product.flatMap((file) => textsIn(ROOT, file));
  assert.deepEqual(using(texts, notInMessages), []);
});

test("the glossary defines each term once", () => {
  const terms = [...page.matchAll(/^\| ([^|]+) \| [A-Z].*\. \|$/gm)].map(([, term = ""]) => term);
  const doubled = terms.filter((term, index) => terms.indexOf(term) !== index);
  assert.ok(terms.length > 60, `only ${terms.length} terms were found`);
  assert.deepEqual(doubled, []);
});

test("names and messages of tests use the terms of the glossary", () => {
  const tests = files.filter((file) => file.startsWith("test/") || file.endsWith(".test.ts"));
  const retired = [...notInMessages, ...firstColumn("| In tests, not | But |")];
  assert.deepEqual(
    using(
      tests.flatMap((file) => textsIn(ROOT, file)),
      retired,
    ),
    [],
  );
});

function using(words: readonly Words[], retired: readonly string[]): readonly string[] {
  return words.filter(({ text }) => retired.some((word) => text.includes(` ${word} `))).map(({ place }) => place);
}

/** The words in the first column of the table with this head. */
function firstColumn(head: string): readonly string[] {
  const rows = page.slice(page.indexOf(head)).split("\n\n")[0]?.split("\n").slice(2) ?? [];
  const words = rows.flatMap((row) => row.split("|")[1]?.split(",") ?? []).map((word) => word.trim());
  assert.ok(words.length > 3, `no words below ${head}`);
  return words;
}
