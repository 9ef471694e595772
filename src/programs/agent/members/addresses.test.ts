import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, on } from "../../../../test/kit/facts/database-scene.ts";
import { databaseAt } from "./addresses.ts";

const addresses = new Map([1, 2, 3].map((node) => [node, `10.0.0.${node}`]));
const databases = [
  factsOf({ instances: [on(1, 1), on(2, 2)], record: { uid: 7 } }).record,
  factsOf({ instances: [on(3, 1), on(2, 3), on(4, 4)], record: { uid: 8 } }).record,
];

const cases: readonly (readonly [rule: string, host: string, port: number, want: number | undefined])[] = [
  ["one on a node", "10.0.0.1", 20_003, 8],
  ["one on another node, where the same port of two nodes belongs to two databases", "10.0.0.2", 20_002, 7],
  ["the other one with that port", "10.0.0.3", 20_002, 8],
  ["one that no record names is nobody's", "10.0.0.2", 20_003, undefined],
  ["one on a node that has never reported is nobody's", "10.0.0.4", 20_004, undefined],
];
for (const [rule, host, port, want] of cases)
  test(`the database of an engine: ${rule}`, () => {
    assert.equal(
      databaseAt(databases, (node) => addresses.get(node), { host, port }),
      want,
    );
  });
