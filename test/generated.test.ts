import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { generatedFiles } from "../scripts/generated-files.ts";

for (const { path, text } of await generatedFiles()) {
  test(`${path} is what its source says`, () => {
    const found = readFileSync(join(import.meta.dirname, "..", path), "utf8");
    assert.ok(found === text, `${path} differs from its source; run \`npm run generate\``);
  });
}
