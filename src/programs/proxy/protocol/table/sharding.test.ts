import assert from "node:assert/strict";
import { test } from "node:test";
import { shardingOf, type Sharding } from "./sharding.ts";
import { FORWARDED } from "./forwarded.ts";

/** Commands that are forwarded where there is one shard, and not available where there are several. */
const NOT_AVAILABLE =
  "RANDOMKEY INFO LASTSAVE ROLE SWAPDB PUBLISH SPUBLISH MEMORY|DOCTOR MEMORY|MALLOC-STATS MEMORY|PURGE MEMORY|STATS";
/** The same, of commands with subcommands. */
const NOT_AVAILABLE_OF = ["CLUSTER", "COMMANDLOG", "FUNCTION", "LATENCY", "MODULE", "PUBSUB", "SCRIPT", "SLOWLOG"];
const CLIENT = ["CLIENT|GETREDIR", "CLIENT|TRACKINGINFO"];

const names = Object.values(FORWARDED).flatMap((listed) => listed.split(" "));
const by = Map.groupBy(names, shardingOf);

test("each command that is forwarded goes to the shards of its keys, to all or any of them, or is listed as not available", () => {
  const expected = (name: string): boolean =>
    NOT_AVAILABLE.split(" ").includes(name) ||
    CLIENT.includes(name) ||
    NOT_AVAILABLE_OF.some((command) => name.startsWith(`${command}|`));
  assert.deepEqual(by.get("none")?.toSorted(), names.filter(expected).toSorted());
});

test("what an engine calls a command of all shards, or of several, is no command of one slot", () => {
  const found = (sharding: Sharding): readonly string[] => (by.get(sharding) ?? []).toSorted();
  assert.deepEqual(found("every"), ["DBSIZE", "FLUSHALL", "FLUSHDB", "KEYS"]);
  assert.deepEqual(found("sum"), ["DEL", "EXISTS", "TOUCH", "UNLINK"]);
  assert.deepEqual([found("list"), found("ok")], [["MGET"], ["MSET"]]);
});

test("a command that is not known, and one of a module, are not available", () => {
  assert.deepEqual(["NOSUCH", "JSON.GET", ""].map(shardingOf), ["none", "none", "none"]);
});
