import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { syntaxTable } from "../../../../test/kit/engines/documented-syntax.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const FILE = "src/core/base/command-syntax.ts";

test("the table of the syntax says what the engines document: node scripts/generate-syntax.ts writes it", async () => {
  assert.equal(readFileSync(join(ROOT, FILE), "utf8"), await syntaxTable());
});
