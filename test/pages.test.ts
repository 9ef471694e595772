import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { shellBlocks } from "./kit/pages/blocks.ts";
import { NOT_TYPED, TYPED } from "./kit/pages/typed-blocks.ts";
import { commandsOf } from "./kit/pages/typist.ts";

const ROOT = join(import.meta.dirname, "..");
const PAGES = [
  "README.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** The rows of both tables: page and beginning of a block. */
const ROWS = [TYPED, NOT_TYPED].flatMap((table) =>
  Object.entries(table).flatMap(([page, rows]) => Object.keys(rows).map((beginning) => ({ page, beginning }))),
);

test("each block for a shell is typed by one test, or one reason says why it cannot be", () => {
  const wrong = PAGES.flatMap((page) =>
    shellBlocks(page)
      .map(({ text }) => ({ page, text, rows: rowsOf(page, text).length }))
      .filter(({ rows }) => rows !== 1),
  );
  assert.deepEqual(wrong, [], "no row of test/kit/pages/typed-blocks.ts, or more than one");
});

test("each row is about one block of its page", () => {
  const idle = ROWS.filter(
    ({ page, beginning }) => shellBlocks(page).filter(({ text }) => text.startsWith(beginning)).length !== 1,
  );
  assert.deepEqual(idle, []);
});

test("a test that types a block names it", () => {
  const silent = Object.entries(TYPED).flatMap(([page, rows]) =>
    Object.entries(rows).filter(([beginning, { by }]) => {
      const source = readFileSync(join(ROOT, by), "utf8").replaceAll("\\", "");
      return !source.includes(`"${page}"`) || !source.includes(beginning);
    }),
  );
  assert.deepEqual(silent, []);
});

test("what is left out of a typed block is a command of it", () => {
  const absent = Object.entries(TYPED).flatMap(([page, rows]) =>
    Object.entries(rows).flatMap(([beginning, { except = {} }]) => {
      const text = shellBlocks(page).find((block) => block.text.startsWith(beginning))?.text ?? "";
      return Object.keys(except).filter((one) => !commandsOf(text).some((command) => command.startsWith(one)));
    }),
  );
  assert.deepEqual(absent, []);
});

test("commands are split where bash reads a whole one", () => {
  const text = "a() {\n  b\n}\n\nfor x in 1; do\n  a\ndone\nc \\\n  d\nkubectl create -f - <<'END'\nx: '\nEND\n";
  assert.deepEqual(commandsOf(text), [
    "a() {\n  b\n}",
    "for x in 1; do\n  a\ndone",
    "c \\\n  d",
    "kubectl create -f - <<'END'\nx: '\nEND",
  ]);
});

function rowsOf(page: string, text: string): typeof ROWS {
  return ROWS.filter((row) => row.page === page && text.startsWith(row.beginning));
}
