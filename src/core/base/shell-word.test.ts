import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { quotedWord, shellWord } from "./shell-word.ts";

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

test("plain words and placeholders stay as they are", () => {
  for (const text of ["rec", "rec-0", "a.b/c=d:e", "<rec>-<n>", "--from-file=x", "<name of it>"])
    assert.equal(shellWord(text), text);
});
