import assert from "node:assert/strict";
import { test } from "node:test";
import { shardCountObjection, shardMemoryObjection, type AskedShards } from "./shard-count.ts";

const cases: readonly (readonly [string, Partial<AskedShards>, RegExp | undefined])[] = [
  ["a database has one shard", { count: 1 }, undefined],
  ["a site has one shard where the database was made with one", { count: 1, slices: 1 }, undefined],
  [
    "a site has no more than the database was made with",
    { count: 4, slices: 3 },
    /made with 3 shards, and a site has no more/,
  ],
  ["a site may have fewer", { count: 2, slices: 3 }, undefined],
  ["a site keeps the shards that it was made with", { count: 2, has: 3, slices: 3 }, /their number does not change/],
  ["modules know one shard", { modules: ["tally"] }, /modules \(tally\) are served from one shard/],
  ["a database may have several", { count: 512 }, undefined],
  ["a database keeps the number that it has", { has: 2, modules: ["tally"] }, undefined],
  ["one of several becomes no site of a database that was made with one", { has: 2, slices: 1 }, /made with one shard/],
  ["it may get more", { count: 4, has: 2 }, undefined],
  ["it may get fewer", { count: 1, has: 2 }, undefined],
  ["one shard of a database with modules is not split", { has: 1, modules: ["tally"] }, /served from one shard alone/],
  ["shards of a database with modules may become one", { count: 1, has: 2, modules: ["tally"] }, undefined],
];

for (const [rule, asked, want] of cases)
  test(`the number of shards: ${rule}`, () => {
    const objection = shardCountObjection({ count: 2, has: undefined, slices: undefined, modules: [], ...asked });
    if (want === undefined) assert.equal(objection, undefined);
    else assert.match(objection ?? "", want);
  });

test("the number of shards: each shard needs room for more than its engine", () => {
  assert.equal(shardMemoryObjection({ count: 5, memoryBytes: 100e6 }), undefined);
  assert.match(
    shardMemoryObjection({ count: 6, memoryBytes: 100e6 }) ?? "",
    /6 shards need at least 120 MB together, .*100 MB/,
  );
});
