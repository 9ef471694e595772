import assert from "node:assert/strict";
import { test } from "node:test";
import { isFault } from "#kit/base/fault";
import { faults } from "../faults.ts";
import { openFileLimit } from "#kit/processes/open-file-limit";
import { checkOpenFiles } from "./open-files.ts";

const limits = (soft: string, hard: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units     \n` +
  `Max processes             96365                96365                processes \n` +
  `Max open files            ${soft.padEnd(20)} ${hard.padEnd(20)} files     \n`;

for (const [name, text] of [
  ["with a low soft limit, which Node raises", limits("1024", "524288")],
  ["without any limit", limits("1024", "unlimited")],
  ["on a system that reports no limits", ""],
] as const) {
  test(`a node starts ${name}`, () => {
    checkOpenFiles(openFileLimit(text));
  });
}

test("a node that may open too few files does not start; the fault names how many it needs", () => {
  assert.throws(
    () => checkOpenFiles(openFileLimit(limits("1024", "4096"))),
    (error) => isFault(error, faults.tooFewFiles) && /may open 4096 files and needs 10240/.test(error.message),
  );
});

test("the limit of this very process is read", () => {
  checkOpenFiles();
});
