import assert from "node:assert/strict";
import { test } from "node:test";
import { answeredWithin, passedOnWithinMs, STORE_SILENCE_MS } from "./slow-routes.ts";

/** Of one request of a store, as src/ports/object-store/s3.ts makes them. */
const ATTEMPTS = 3;

for (const route of ["inspectBackup", "removeBackup"] as const)
  test(`${route} answers that an object store is silent before its deadline ends`, () => {
    const passedOn = passedOnWithinMs(route) ?? 0;
    assert.ok(ATTEMPTS * STORE_SILENCE_MS < passedOn);
    assert.ok(passedOn < (answeredWithin(route).withinMs ?? 0));
  });

test("what asks no store has the time of any request", () => {
  assert.deepEqual([passedOnWithinMs("startBackup"), answeredWithin("backup")], [undefined, {}]);
});
