import assert from "node:assert/strict";
import { test } from "node:test";
import { duplicateFields } from "./duplicate-fields.ts";

const texts: readonly [json: string, found: readonly string[]][] = [
  ['{"a":1,"b":{"a":2},"c":"a\\":"}', []],
  ['{"a":1,"a":2}', ["a"]],
  ['{"data":{"x":"{\\"x\\":1}","x":"}"}}', ["data.x"]],
  ['{"items":[{"n":1},{"n":1, "n" : 2},[{"k":1,"k":[]}]]}', ["items[1].n", "items[2][0].k"]],
  ['[",", "a", {"a":"a", "\\u0061":1}]', ["[2].a"]],
  ["7", []],
];
for (const [json, found] of texts)
  test(`${json} gives twice: ${found.join()}`, () => assert.deepEqual(duplicateFields(json), found));
