import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames, startEngine } from "../../../test/kit/engines/engine.ts";
import { removalOfOver } from "./over-removals.ts";

const FIELDS = Array.from({ length: 9_000 }, (_, i) => `field-${i}`);
const over = {
  key: "h",
  elements: FIELDS.map((element) => ({ type: "hash" as const, element, onTop: undefined })),
  until: undefined,
};

for (const engine of engineNames())
  test(`${engine} removes thousands of elements that are over, and leaves the others`, async () => {
    await using started = await startEngine({ engine });
    await started.call("HSET", "h", "stays", "1", ...FIELDS.flatMap((field) => [field, "1"]));
    for (const command of removalOfOver(over)) await started.call(...command);
    assert.deepEqual(await started.call("HKEYS", "h"), ["stays"]);
  });

for (const [type, command] of [
  ["string", ["INCRBY", "k", "2"]],
  ["hash", ["HINCRBY", "k", "", "2"]],
  ["zset", ["ZINCRBY", "k", "2", ""]],
] as const)
  test(`what clients have counted on top in a ${type} stays, and expires`, () => {
    const elements = [{ type, element: "", onTop: 2n }];
    assert.deepEqual(removalOfOver({ key: "k", elements, until: 5 }).slice(1), [command, ["PEXPIREAT", "k", "5"]]);
    assert.deepEqual(removalOfOver({ key: "k", elements, until: undefined }).slice(1), [command]);
  });

test("a counter of which nothing is over any more gets its time", () => {
  assert.deepEqual(removalOfOver({ key: "k", elements: [], until: 5 }), [["PEXPIREAT", "k", "5"]]);
});
