import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { libraries } from "../kit/clients/libraries.ts";
import { playMoves } from "../kit/clients/moved.ts";
import { failedOf, rowsOf } from "../kit/clients/table.ts";
import { check } from "../kit/linearizability/check.ts";
import { allowResends, byKey } from "../kit/linearizability/history.ts";

/** redisson then sends a SET again, the others wait longer. */
const SENT_AGAIN_AFTER_MS = 3_000;

const rows = rowsOf(await readFile(join(import.meta.dirname, "../../docs/upgrades.md"), "utf8"));
const { found, missing } = await libraries(["jedis", "lettuce", "redisson", "redis-rs", "glide"]);
const skip = found.length === 0 ? missing.join("; ") : false;
const names = found.map(({ name }) => name).join(", ") || "clients in other languages";

await test(
  `${names}: while the database is upgraded and each node is replaced, nothing is lost, and requests fail as docs/upgrades.md says`,
  {
    skip,
  },
  async () => {
    const moved = await playMoves(found, "several");
    for (const one of moved) {
      if (rows.get(one.name)?.isSentAgain.several === true)
        assert.equal(failedOf(one), 0, `${one.name}: ${one.failures.join("; ")}`);
      assert.ok(one.operations.length > 100, `${one.name}: only ${one.operations.length} operations`);
    }
    const operations = moved.flatMap((one) => one.operations);
    for (const [key, history] of byKey(allowResends(operations, SENT_AGAIN_AFTER_MS))) {
      const verdict = check(history);
      assert.equal(verdict.kind, "linearizable", `${key}: ${JSON.stringify(verdict, undefined, 1)}`);
    }
  },
);

await test(
  "the libraries of each language are there",
  { skip: missing.length === 0 ? false : missing.join("; ") },
  () => {
    assert.equal(found.length, 5);
  },
);
