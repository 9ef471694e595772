import assert from "node:assert/strict";
import { test } from "node:test";
import { faultTables } from "../scripts/generated-pages.ts";

test("a fault code stands for one thing, carries the name of its room and has a remedy", async () => {
  const tables = await faultTables();
  const codes = tables.flatMap(({ faults }) => faults.map(({ code }) => code));
  assert.equal(new Set(codes).size, codes.length);
  for (const { room, faults } of tables) {
    const strange = faults.filter(
      ({ code, remedy }) => !code.startsWith(`${room.toUpperCase().replaceAll("-", "_")}_`) || remedy.length < 10,
    );
    assert.deepEqual(strange, [], room);
  }
});
