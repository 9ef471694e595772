import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames, startEngine } from "../../../../test/kit/engines/engine.ts";
import { startAll } from "../../../../test/kit/engines/start-all.ts";
import { mergeInfo } from "./merged-info.ts";

/** What two shards say of a section, and what the database says. */
const ROWS = [
  ["clients are added", "Clients", ["connected_clients:3"], ["connected_clients:4"], ["connected_clients:7"]],
  ["and their limit is that of one", "Clients", ["maxclients:10000"], ["maxclients:10000"], ["maxclients:10000"]],
  [
    "memory is added, and written in words again",
    "Memory",
    ["used_memory:1048576", "used_memory_human:1.00M"],
    ["used_memory:2097152", "used_memory_human:2.00M"],
    ["used_memory:3145728", "used_memory_human:3.00M"],
  ],
  [
    "a share is the highest",
    "Memory",
    ["mem_fragmentation_ratio:1.20"],
    ["mem_fragmentation_ratio:3.10"],
    ["mem_fragmentation_ratio:3.10"],
  ],
  [
    "a policy is that of one",
    "Memory",
    ["maxmemory_policy:noeviction"],
    ["maxmemory_policy:noeviction"],
    ["maxmemory_policy:noeviction"],
  ],
  [
    "times of processors keep their decimals",
    "CPU",
    ["used_cpu_sys:0.250000"],
    ["used_cpu_sys:0.500000"],
    ["used_cpu_sys:0.750000"],
  ],
  [
    "databases of all shards are there, in order",
    "Keyspace",
    ["db10:keys=1,expires=1,avg_ttl=100"],
    ["db0:keys=5,expires=0,avg_ttl=0", "db10:keys=4,expires=3,avg_ttl=300"],
    ["db0:keys=5,expires=0,avg_ttl=0", "db10:keys=5,expires=4,avg_ttl=250"],
  ],
  [
    "calls of all shards are there",
    "Commandstats",
    ["cmdstat_get:calls=2,usec=4,usec_per_call=2.00,rejected_calls=0,failed_calls=0"],
    ["cmdstat_get:calls=6,usec=24,usec_per_call=4.00,rejected_calls=1,failed_calls=0", "cmdstat_set:calls=1,usec=1"],
    ["cmdstat_get:calls=8,usec=28,usec_per_call=3.50,rejected_calls=1,failed_calls=0", "cmdstat_set:calls=1,usec=1"],
  ],
  ["while one shard loads, the database loads", "Persistence", ["loading:0"], ["loading:1"], ["loading:1"]],
  [
    "a server is that of one",
    "Server",
    ["redis_mode:standalone", "run_id:a"],
    ["redis_mode:standalone", "run_id:b"],
    ["redis_mode:standalone", "run_id:a"],
  ],
] as const;

for (const [what, name, one, other, merged] of ROWS)
  test(`INFO of shards: ${what}`, () => {
    const text = (lines: readonly string[]): string => [`# ${name}`, ...lines, ""].join("\r\n");
    assert.equal(mergeInfo([text(one), text(other)]), text(merged));
  });

/** Lines that an engine has once a command was called, in sections of which the first shard's count. */
const OF_EACH = /^latency_percentiles/;

for (const engine of engineNames())
  test(`INFO of two shards of ${engine} has each line that an engine has, and each number is one`, async (t) => {
    const engines = await startAll(startEngine({ engine }), startEngine({ engine }));
    t.after(() => Promise.allSettled(engines.map((one) => one.stop())));
    await engines[1].call("SET", "key", "value");
    const texts = await Promise.all(engines.map(async (one) => String(await one.call("INFO", "everything"))));
    const merged = mergeInfo(texts);
    const names = (text: string): readonly string[] => text.split("\r\n").map((line) => line.split(":")[0] ?? "");
    const own = new Set(names(merged));
    assert.deepEqual(
      texts.flatMap(names).filter((name) => !own.has(name) && !OF_EACH.test(name)),
      [],
    );
    assert.doesNotMatch(merged, /NaN|Infinity|undefined/);
    assert.match(merged, /\r\ndb0:keys=1,expires=0/);
  });
