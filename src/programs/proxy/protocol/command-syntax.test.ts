import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { arityTable } from "../../../../test/kit/engines/documented-arities.ts";
import { syntaxTable } from "../../../../test/kit/engines/documented-syntax.ts";

const SRC = join(import.meta.dirname, "../../..");

for (const [file, documented] of [
  ["core/base/command-syntax.ts", syntaxTable],
  ["programs/proxy/protocol/table/arities.ts", arityTable],
] as const)
  test(`${file} says what the engines document: node scripts/generate-syntax.ts writes it`, async () => {
    assert.equal(readFileSync(join(SRC, file), "utf8"), await documented());
  });
