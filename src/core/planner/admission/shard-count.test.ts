import assert from "node:assert/strict";
import { test } from "node:test";
import { shardCountObjection } from "./shard-count.ts";

test("a database has one shard, and so has each site of an Active-Active database", () => {
  assert.equal(shardCountObjection({ count: 1, isSite: false }), undefined);
  assert.equal(shardCountObjection({ count: 1, isSite: true }), undefined);
  assert.match(shardCountObjection({ count: 2, isSite: false }) ?? "", /this release/);
  assert.match(shardCountObjection({ count: 2, isSite: true }) ?? "", /Active-Active/);
});
