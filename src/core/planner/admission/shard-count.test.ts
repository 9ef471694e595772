import assert from "node:assert/strict";
import { test } from "node:test";
import { shardCountObjection, shardMemoryObjection, type AskedShards } from "./shard-count.ts";

const cases: readonly (readonly [string, Partial<AskedShards>, RegExp | undefined])[] = [
  ["a database has one shard", { count: 1 }, undefined],
  ["a site has one shard", { count: 1, isSite: true }, undefined],
  ["a site has no more", { isSite: true }, /Active-Active/],
  ["several shards are not served yet", {}, /this release serves a database from one shard/],
];

for (const [rule, asked, want] of cases)
  test(`the number of shards: ${rule}`, () => {
    const objection = shardCountObjection({ count: 2, isSite: false, ...asked });
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
