import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { endConnection } from "../kit/clients/ended.ts";
import { libraries, NAMES } from "../kit/clients/libraries.ts";
import { rowsOf } from "../kit/clients/table.ts";
import { startEngine } from "../kit/engines/engine.ts";

const rows = rowsOf(await readFile(join(import.meta.dirname, "../../docs/upgrades.md"), "utf8"));
const { found, missing } = await libraries();
await using engine = await startEngine();

for (const name of NAMES) {
  const library = found.find((one) => one.name === name);
  const skip = library === undefined ? missing.find((reason) => reason.startsWith(`${name}: `)) : false;
  await test(`${name} does with a write whose connection ends what docs/upgrades.md says`, { skip }, async () => {
    assert.ok(library !== undefined);
    for (const attempts of ["default", "several"] as const) {
      const { outcome } = await endConnection(library, attempts, engine);
      assert.equal(outcome === "sent again", rows.get(name)?.isSentAgain[attempts], `${attempts}: ${String(outcome)}`);
    }
  });
}
