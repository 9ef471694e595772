import assert from "node:assert/strict";
import { test } from "node:test";
import { answerToAsked, type AskedCount } from "./asked-shards.ts";

const BASE: AskedCount = { database: "carts", count: 4, has: 4, asked: 4, written: undefined };

const cases: readonly (readonly [
  rule: string,
  asked: Partial<AskedCount>,
  says: RegExp | undefined,
  writes: boolean,
])[] = [
  ["another number is planned", { count: 8 }, undefined, true],
  ["the number that it has is kept", {}, /^carts keeps its 4 shards\.$/, false],
  ["one shard is named as one", { count: 1, has: 1, asked: 1 }, /keeps its one shard\./, false],
  ["an object that says another number gets this one", { written: 2 }, /keeps its 4 shards\.$/, true],
  ["an object that says so already is left alone", { written: 4 }, /keeps its 4 shards\.$/, false],
  [
    "a change under way is taken back",
    { asked: 8, written: 8 },
    /keeps its 4 shards\. The 8 that were asked for are not made, and what is copied goes\.$/,
    true,
  ],
  ["also where the database has no object", { asked: 8 }, /keeps its 4 shards\. The 8 /, true],
  [
    "a change is not asked for twice",
    { count: 8, asked: 8, written: 8 },
    /^carts gets 8 shards already, and has 4\. .*storectl why redb carts/,
    false,
  ],
  ["the object of one that was asked for elsewhere is corrected", { count: 8, asked: 8, written: 4 }, /gets 8/, true],
  ["a third number is planned while another is made", { count: 2, asked: 8, written: 8 }, undefined, true],
];

for (const [rule, asked, says, writes] of cases)
  test(`the number of shards that is asked for: ${rule}`, () => {
    const answer = answerToAsked({ ...BASE, ...asked });
    assert.equal(answer.writes, writes);
    if (says === undefined) assert.equal(answer.said, undefined);
    else assert.match(answer.said ?? "", says);
  });
