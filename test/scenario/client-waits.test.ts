import assert from "node:assert/strict";
import { test } from "node:test";
import { libraries, type LibraryName } from "../kit/clients/libraries.ts";
import type { Attempts } from "../kit/clients/recorders.ts";
import { leaveUnanswered } from "../kit/clients/unanswered.ts";
import { startEngine } from "../kit/engines/engine.ts";

// No proxy is in the way: what an application gets twice here, its library has sent twice.

const { found, missing } = await libraries(["redis-py", "go-redis"]);
await using engine = await startEngine();

/** Clocks of two processes. */
const EARLY_MS = 100;

/** As docs/upgrades.md says. */
const ROWS: readonly (readonly [name: LibraryName, attempts: Attempts, afterMs: number])[] = [
  ["redis-py", "default", 5_000],
  ["redis-py", "several", 10_000],
  ["go-redis", "default", 3_000],
  ["go-redis", "several", 10_000],
];

const rows = ROWS.map(([name, attempts, afterMs]) => {
  const library = found.find((one) => one.name === name);
  const played = library && leaveUnanswered(library, attempts, engine);
  played?.catch(() => undefined); // its test awaits it
  return { name, attempts, afterMs, played };
});

for (const { name, attempts, afterMs, played } of rows) {
  const skip = played === undefined ? missing.find((reason) => reason.startsWith(`${name}: `)) : false;
  await test(
    `${name} (${attempts}) sends a write again after ${afterMs / 1_000} s without an answer, and it is executed twice`,
    { skip },
    async () => {
      assert.ok(played !== undefined);
      const { againAfterMs, elements } = await played;
      assert.ok(againAfterMs >= afterMs - EARLY_MS, `after ${againAfterMs} ms`);
      assert.equal(elements, 2);
    },
  );
}
