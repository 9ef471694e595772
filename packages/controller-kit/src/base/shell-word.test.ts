import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { placeholder, quotedWord, shellWord } from "./shell-word.ts";

const HOSTILE = [
  "fast'; echo RUN BY THE SHELL >&2; : '",
  "$(echo run)",
  "`echo run`",
  "a b",
  "a\nb",
  "u\nrec: 100%d'\\\u001b[31m\u202eé$(echo run)`",
  "",
  "~",
  "*",
  "#x",
  "<name>",
  "<rec>-<n>",
];

for (const text of HOSTILE)
  test(`a shell reads ${JSON.stringify(text)} back as one word`, () => {
    const read = (word: string): string => execFileSync("sh", ["-c", `printf %s ${word}`], { encoding: "utf8" });
    assert.equal(read(shellWord(text)), text);
    assert.equal(read(quotedWord(text)), text);
  });

test("a word with control characters is one line, and bash reads one back that ends with an end of line", () => {
  const text = "it's\\\n";
  assert.doesNotMatch(quotedWord(text), /\n/);
  const read = execFileSync("bash", ["-c", `printf %s ${quotedWord(text)}`], { encoding: "utf8" });
  assert.equal(read, text);
});

test("plain words stay as they are, and so do placeholders: a value that looks like one is quoted", () => {
  for (const text of ["rec", "rec-0", "a.b/c=d:e", "--from-file=x"]) assert.equal(shellWord(text), text);
  assert.equal(shellWord(placeholder("<rec>-<n>")), "<rec>-<n>");
  assert.equal(shellWord("<rec>-<n>"), "'<rec>-<n>'");
});
