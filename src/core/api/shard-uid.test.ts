import assert from "node:assert/strict";
import { test } from "node:test";
import { shardUid } from "./shard-uid.ts";

test("the first shard of the first database is 1, and a further one changes no other", () => {
  assert.deepEqual([shardUid(1, 1), shardUid(2, 1), shardUid(1, 2), shardUid(3, 1)], [1, 2, 3, 4]);
});

test("no two shards of a cluster have one uid, however many databases and moves there were", () => {
  const pairs = Array.from({ length: 300 }, (_, bdb) =>
    Array.from({ length: 300 }, (_, instance) => shardUid(bdb + 1, instance + 1)),
  );
  assert.equal(new Set(pairs.flat()).size, 90_000);
  assert.ok(Number.isSafeInteger(shardUid(1_000_000, 10_000_000)));
});
