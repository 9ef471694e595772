import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyDigests, differingRanges, isRangeCount, rangeOf, rangesFor, shortDigest } from "./key-digests.ts";

const names = Array.from({ length: 2_000 }, (_, index) => `key:${index}`);

function digestsOf(keys: readonly string[], change: ReadonlyMap<string, string> = new Map()): KeyDigests {
  const digests = new KeyDigests();
  for (const key of keys) digests.add(key, change.get(key) ?? `digest of ${key}`);
  return digests;
}

test("two sites with the same keys have the same sums, in whatever order they are given, and for any number of ranges", () => {
  for (const count of [1, 16, 1_024, 65_536])
    assert.deepEqual(digestsOf(names).sums(count), digestsOf(names.toReversed()).sums(count));
});

test("a key that holds something else, or that one site lacks, differs in its range alone", () => {
  const own = digestsOf(names);
  for (const other of [
    digestsOf(names, new Map([["key:7", "another"]])),
    digestsOf(names.filter((key) => key !== "key:7")),
  ])
    for (const count of [16, 1_024, 65_536])
      assert.deepEqual(differingRanges(own.sums(count), other.sums(count)), [rangeOf("key:7", count)]);
});

test("two keys that have changed places are noticed", () => {
  const changed = new Map([
    ["key:1", "digest of key:2"],
    ["key:2", "digest of key:1"],
  ]);
  const ranges = differingRanges(digestsOf(names).sums(65_536), digestsOf(names, changed).sums(65_536));
  assert.deepEqual([...ranges].sort(), [rangeOf("key:1", 65_536), rangeOf("key:2", 65_536)].sort());
});

test("names are spread over the ranges, and there are some keys for each", () => {
  assert.equal(rangesFor(0), 16);
  assert.equal(rangesFor(2_000), 128);
  assert.equal(rangesFor(1_000_000), 65_536);
  assert.equal(rangesFor(100_000_000), 65_536);
  const used = new Set(names.map((key) => rangeOf(key, 16)));
  assert.equal(used.size, 16);
  const most = Math.max(
    ...Array.from({ length: 16 }, (_, range) => names.filter((key) => rangeOf(key, 16) === range).length),
  );
  assert.ok(most < 250, `${most} of 2,000 keys are in one of 16 ranges`);
});

test("only powers of two up to 65,536 are numbers of ranges", () => {
  for (const count of [1, 2, 16, 65_536]) assert.ok(isRangeCount(count));
  for (const count of [0, -1, 3, 1.5, 131_072, NaN]) assert.ok(!isRangeCount(count));
});

test("a short digest says both the name and what it holds", () => {
  assert.deepEqual(shortDigest("k", "v"), shortDigest("k", "v"));
  assert.notDeepEqual(shortDigest("k", "v"), shortDigest("k", "w"));
  assert.notDeepEqual(shortDigest("k", "v"), shortDigest("kv", ""));
});
