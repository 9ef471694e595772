import assert from "node:assert/strict";
import { test } from "node:test";
import { shardingOf, type Sharding } from "./sharding.ts";
import { FORWARDED } from "./forwarded.ts";

/** Commands that are forwarded where there is one shard, and not available where there are several. */
const NOT_AVAILABLE = "SWAPDB MEMORY|STATS LATENCY|GRAPH LATENCY|HISTOGRAM";

const names = Object.values(FORWARDED).flatMap((listed) => listed.split(" "));
const by = Map.groupBy(names, shardingOf);

test("each command that is forwarded goes to the shards of its keys, to all or any of them, or is listed as not available", () => {
  assert.deepEqual(by.get("none")?.toSorted(), NOT_AVAILABLE.split(" ").toSorted());
});

test("what an engine calls a command of all shards, or of several, is no command of one slot", () => {
  const found = (sharding: Sharding): readonly string[] => (by.get(sharding) ?? []).toSorted();
  const { every = [] } = Object.fromEntries(by);
  assert.deepEqual(
    ["DBSIZE", "FLUSHALL", "FLUSHDB", "KEYS", "INFO", "SCRIPT|EXISTS", "FUNCTION|LOAD", "FUNCTION|FLUSH"].filter(
      (name) => !every.includes(name),
    ),
    [],
  );
  assert.deepEqual(found("random"), ["RANDOMKEY"]);
  assert.deepEqual(found("sum"), ["DEL", "EXISTS", "TOUCH", "UNLINK"]);
  assert.deepEqual([found("list"), found("ok")], [["MGET"], ["MSET"]]);
});

test("a command that is not known, and one of a module, are not available", () => {
  assert.deepEqual(["NOSUCH", "JSON.GET", ""].map(shardingOf), ["none", "none", "none"]);
});
