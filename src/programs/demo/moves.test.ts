import assert from "node:assert/strict";
import { test } from "node:test";
import { listMoves } from "./moves.ts";

const one = (id: number, epoch: number) => ({ id, epoch });

for (const [rule, before, after, moves] of [
  ["nothing has moved in the same record", [one(1, 3)], [one(1, 3)], []],
  ["a later epoch is another primary", [one(1, 3), one(2, 5)], [one(1, 4), one(2, 5)], ["shard 1 has another primary"]],
  ["more shards are named by their number", [one(1, 3)], [one(2, 1), one(3, 1)], ["2 shards serve"]],
  [
    "both at once are both named",
    [one(1, 3)],
    [one(1, 4), one(2, 1)],
    ["shard 1 has another primary", "2 shards serve"],
  ],
] as const)
  test(rule, () => assert.deepEqual(listMoves(before, after), moves));
