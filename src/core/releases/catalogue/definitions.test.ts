import assert from "node:assert/strict";
import { test } from "node:test";
import { knowLess } from "./definitions.ts";

const cases: readonly (readonly [
  rule: string,
  mark: string | undefined,
  than: string | undefined,
  expected: boolean,
])[] = [
  ["an older release has an older definition", "8.0.18-11", "8.2.0-12", true],
  ["builds are compared as numbers", "7.22.0-7", "7.22.0-15", true],
  ["the same release has no older definition", "8.2.0-12", "8.2.0-12", false],
  ["a newer release has no older definition", "8.2.0-12", "8.0.18-11", false],
  ["without a mark is older than any mark", undefined, "7.4.2-2", true],
  ["a mark that is none is older than any mark", "latest", "7.4.2-2", true],
  ["what has no mark is never more", "7.4.2-2", undefined, false],
  ["what has a mark that is none is never more", undefined, "latest", false],
];

for (const [rule, mark, than, expected] of cases) {
  test(`definitions: ${rule}`, () => {
    assert.equal(knowLess(mark, than), expected);
  });
}
