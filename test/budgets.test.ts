import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ALWAYS, BUDGETS, DEFAULT_LIMIT_SECONDS, DEFAULT_SECONDS, QUICK_SECONDS } from "./budgets.ts";
import { budgetOf, limitOf } from "./time-limits.ts";

const ROOT = join(import.meta.dirname, "..");

test("the tables of budgets name files that exist", () => {
  const named = [BUDGETS, ALWAYS].flatMap((table) => Object.keys(table));
  assert.deepEqual(
    named.filter((file) => !existsSync(join(ROOT, file))),
    [],
  );
});

test("the table of budgets is in order, and says nothing that the default says", () => {
  const seconds = Object.keys(BUDGETS).map((file) => budgetOf(file).seconds);
  assert.deepEqual(
    seconds,
    seconds.toSorted((a, b) => b - a),
  );
  assert.ok((seconds.at(-1) ?? 0) > DEFAULT_SECONDS);
});

test("a file that npm test always runs would be left out otherwise", () => {
  const idle = Object.keys(ALWAYS).filter((file) => budgetOf(file).seconds <= QUICK_SECONDS);
  assert.deepEqual(idle, []);
});

test("a limit of its own is longer than the usual one, and each limit is twice the budget or more", () => {
  for (const [file, row] of Object.entries(BUDGETS))
    assert.ok(typeof row === "number" || row[1] > DEFAULT_LIMIT_SECONDS, file);
  const tight = Object.keys(BUDGETS).filter((file) => budgetOf(file).limitSeconds < 2 * budgetOf(file).seconds);
  assert.deepEqual(tight, []);
});

test("a test that is made longer by a variable is not killed in the middle", () => {
  const file = "test/fuzz/pipelines.test.ts";
  assert.equal(limitOf(file, {}), DEFAULT_LIMIT_SECONDS);
  assert.ok(limitOf(file, { FUZZ_PIPELINES: "1000000" }) > 3_600);
});
