import assert from "node:assert/strict";
import { test } from "node:test";
import { capturedEffects } from "./captured-effects.ts";
import { capturedOf } from "./captured-slice.ts";
import type { Captured } from "./captured.ts";

const ofA = (key: string): boolean => key.startsWith("a");
const ofOthers = (key: string): boolean => !ofA(key);

const commands: readonly string[] = [
  "SET a 1",
  "MSET a1 1 b1 2 a2 3",
  "DEL a1 b1 b2",
  "SMOVE a1 b1 m",
  "RENAME a1 b1",
  "SUNIONSTORE b1 a1 a2",
  "LMOVE a1 b1 LEFT RIGHT",
  "ZADD b1 GT 1 m",
  "PEXPIREAT a1 100",
];

for (const command of commands)
  test(`what a command did to keys of two slices is captured once, each key in its slice: ${command}`, () => {
    const all = capturedEffects(command.split(" "));
    assert.ok(all !== undefined);
    const parts = [ofA, ofOthers].map((holds) => capturedOf(all, holds));
    assert.deepEqual(parts.flatMap(shown).toSorted(), [...shown(all)].toSorted());
    assert.ok(keysOf(parts[0]).every(ofA) && keysOf(parts[1]).every(ofOthers));
  });

test("the removal of all keys is captured in each slice", () => {
  const all = capturedEffects(["FLUSHDB"]);
  assert.ok(all !== undefined);
  for (const holds of [ofA, ofOthers]) assert.deepEqual(capturedOf(all, holds).effects, [{ kind: "flush" }]);
});

function shown({ effects, read, scores }: Captured): readonly string[] {
  return [...effects, ...read, ...scores].map((each) => JSON.stringify(each));
}

function keysOf(captured: Captured | undefined): readonly string[] {
  const { effects = [], read = [], scores = [] } = captured ?? {};
  return [
    ...effects.flatMap((effect) => ("key" in effect ? effect.key : [])),
    ...read,
    ...scores.map(({ key }) => key),
  ];
}
