import assert from "node:assert/strict";
import { test } from "node:test";
import { answerToAsked, evenShards, shardsOfCount, type AskedTable } from "./asked-shards.ts";

/** Numbers of shards. */
type Counts = Readonly<Record<"count" | "has" | "asked", number>> & { readonly written: number | undefined };

const BASE: Counts = { count: 4, has: 4, asked: 4, written: undefined };

const cases: readonly (readonly [rule: string, asked: Partial<Counts>, says: RegExp | undefined, writes: boolean])[] = [
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
    const counts = { ...BASE, ...asked };
    const has = evenShards(counts.has);
    const answer = answerToAsked({
      database: "carts",
      wanted: shardsOfCount(counts.count, has),
      has,
      asked: shardsOfCount(counts.asked, has),
      written: counts.written === undefined ? undefined : shardsOfCount(counts.written, has),
      agrees: false,
    });
    assert.equal(answer.writes, writes);
    if (says === undefined) assert.equal(answer.said, undefined);
    else assert.match(answer.said ?? "", says);
  });

const uneven = ["0-99", "100-16383"];
const served: AskedTable = {
  database: "carts",
  wanted: uneven,
  has: uneven,
  asked: uneven,
  written: undefined,
  agrees: false,
};

for (const [rule, asked, says, writes] of [
  ["other slots for as many shards are planned", { wanted: evenShards(2) }, undefined, true],
  ["their order says nothing", { wanted: uneven.toReversed() }, /keeps its 2 shards\.$/, false],
  ["the number that they are keeps them", { wanted: shardsOfCount(2, uneven) }, /keeps its 2 shards\.$/, false],
  [
    "and ends a change that is under way",
    { asked: evenShards(2) },
    /keeps its 2 shards\. The others that were asked for are not made/,
    true,
  ],
  [
    "who agrees that keys are left behind reads that none is",
    { agrees: true },
    /keeps its 2 shards\. No key is left behind where shards stay: --may-discard-data agrees to nothing\.$/,
    false,
  ],
  ["who agrees for other shards has them planned", { wanted: evenShards(2), agrees: true }, undefined, true],
  [
    "the same slots are not asked for twice",
    { wanted: ["0-99", "100-16383"], has: evenShards(2) },
    /gets these slots already, and has 2\./,
    false,
  ],
] as const satisfies readonly (readonly [string, Partial<AskedTable>, RegExp | undefined, boolean])[])
  test(`the slots that are asked for: ${rule}`, () => {
    const answer = answerToAsked({ ...served, ...asked });
    assert.equal(answer.writes, writes);
    if (says === undefined) assert.equal(answer.said, undefined);
    else assert.match(answer.said ?? "", says);
  });
