import assert from "node:assert/strict";
import { test } from "node:test";
import { node } from "../../../../test/kit/facts/database-scene.ts";
import { twoShards } from "../../../../test/kit/facts/two-shards.ts";
import { noPlace } from "./placement.ts";
import { copyTrouble, roomTrouble } from "./reshape-trouble.ts";

const { record } = twoShards({});

const cases: readonly (readonly [
  rule: string,
  code: string,
  attempt: number,
  finds: readonly [evidence: RegExp, remedy: RegExp] | undefined,
])[] = [
  ["what may well succeed next time is no finding", "MOVER_FLUSHED", 4, undefined],
  [
    "what has failed again and again is one",
    "MOVER_FLUSHED",
    5,
    [/"orders" has 2 and gets 1 shards, .* failed 5 times, with MOVER_FLUSHED: planted\./, /keep .*"shardCount":2/],
  ],
  [
    "data that no release can copy is one at once",
    "SLOTS_UNKNOWN_DATA",
    1,
    [
      /failed once, with SLOTS_UNKNOWN_DATA/,
      /keep .*kubectl patch redb orders .*"shardCount":2.*; or .* storectl plan/,
    ],
  ],
  [
    "so is a command whose keys are not known",
    "MOVER_UNKNOWN_COMMAND",
    1,
    [/MOVER_UNKNOWN_COMMAND/, /"shardCount":2.*; or let no client use/],
  ],
];

for (const [rule, code, attempt, finds] of cases)
  test(`a copy that fails: ${rule}`, () => {
    const found = copyTrouble({ ...record, shardCount: 1 }, { attempt }, { code, why: "planted." });
    assert.equal(found?.id, finds === undefined ? undefined : "ShardCopyFails");
    if (finds === undefined || found === undefined) return;
    assert.match(found.evidence, finds[0]);
    assert.match(found.remedy, finds[1]);
  });

test("shards that find no place: the shards that serve are kept, or the cluster gets the next odd number of nodes", () => {
  const nodes = [node(1), node(2), node(3)];
  const { id, evidence, remedy } = roomTrouble({ ...record, shardCount: 4 }, nodes, noPlace("planted"));
  assert.equal(id, "ShardsLackRoom");
  assert.equal(evidence, '"orders" has 2 shards and cannot get 4: planted');
  assert.match(remedy, /^keep .*"shardCount":2.*; or add nodes: kubectl patch rec rec .*"nodes":5/);
});
