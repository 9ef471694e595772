import assert from "node:assert/strict";
import { test } from "node:test";
import { requireWholeSlices } from "./shard-checks.ts";
import { shardsNamed } from "./asked-shards.ts";

for (const [rule, slots, slices, refused] of [
  ["with a whole range each are accepted", ["0-8191", "8192-16383"], 2, undefined],
  ["with several whole ranges are accepted", ["0-8191", "8192-16383"], 4, undefined],
  ["of which two have parts of a range are refused", ["0-99", "100-16383"], 2, /slots 0-8191 are merged/],
  ["of which one has two parts of ranges are refused", ["0-5461,10923-16383", "5462-10922"], 4, /slots 4096-8191/],
] as const)
  test(`slots that are named for the shards of a new site ${rule}`, () => {
    const named = shardsNamed({ shard_slots: [...slots] }) ?? [];
    if (refused === undefined) requireWholeSlices(named, slices);
    else assert.throws(() => requireWholeSlices(named, slices), { code: "AGENT_INVALID_SHARDING", message: refused });
  });
