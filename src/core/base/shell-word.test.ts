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

test("plain words and placeholders stay as they are", () => {
  for (const text of ["rec", "rec-0", "a.b/c=d:e", "<rec>-<n>", "--from-file=x", "<name of it>"])
    assert.equal(shellWord(text), text);
});
