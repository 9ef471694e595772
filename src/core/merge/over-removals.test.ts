import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames, startEngine } from "../../../test/kit/engines/engine.ts";
import { removalOfOver } from "./over-removals.ts";

const FIELDS = Array.from({ length: 9_000 }, (_, i) => `field-${i}`);
const over = { key: "h", elements: FIELDS.map((element) => ({ type: "hash" as const, element })) };

for (const engine of engineNames())
  test(`${engine} removes thousands of elements that are over, and leaves the others`, async () => {
    await using started = await startEngine({ engine });
    await started.call("HSET", "h", "stays", "1", ...FIELDS.flatMap((field) => [field, "1"]));
    for (const command of removalOfOver(over)) await started.call(...command);
    assert.deepEqual(await started.call("HKEYS", "h"), ["stays"]);
  });

test("elements of a key that has a time by now stay", async () => {
  await using started = await startEngine();
  await started.call("HSET", "h", "field-1", "1");
  await started.call("PEXPIRE", "h", "100000");
  for (const command of removalOfOver(over)) await started.call(...command);
  assert.equal(await started.call("HLEN", "h"), 1);
});
