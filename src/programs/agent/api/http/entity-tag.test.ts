import assert from "node:assert/strict";
import { test } from "node:test";
import { entityTag, hasEntityTag, matchesTag } from "./entity-tag.ts";

const bdb = { name: "orders", status: "active", shard_list: [{ uid: 1, offset: 5, lag_bytes: 0 }] };

test("an answer that differs only in members that move with time has the same tag", () => {
  const later = { ...bdb, shard_list: [{ uid: 1, offset: 9, lag_bytes: 3 }] };
  assert.equal(entityTag([bdb]), entityTag([later]));
  assert.equal(entityTag({ uid: 1, uptime: 1 }), entityTag({ uid: 1, uptime: 2 }));
});

test("any other difference is another tag", () => {
  assert.notEqual(entityTag([bdb]), entityTag([{ ...bdb, status: "recovery" }]));
  assert.notEqual(entityTag([bdb]), entityTag([bdb, bdb]));
});

test("one tag of several in If-None-Match is enough", () => {
  const tag = entityTag([bdb]);
  assert.ok(matchesTag(tag, `W/"other", ${tag}`));
  assert.ok(!matchesTag(tag, undefined) && !matchesTag(tag, 'W/"other"'));
});

test("reads of the cluster carry a tag; the probe, writes and reads of one node do not", () => {
  assert.ok(hasEntityTag("bdbs") && hasEntityTag("nodes"));
  for (const name of ["bootstrap", "createBdb", "localInstances"] as const) assert.ok(!hasEntityTag(name), name);
});
