import assert from "node:assert/strict";
import { test } from "node:test";
import type { ShardRecord } from "../../core/api/records.ts";
import type { ShardName } from "./proxy-control.ts";
import { nameShard } from "./shard-name.ts";

const shard = (id: number): ShardRecord => ({ id, epoch: 1, primary: 1, instances: [] });

const cases: readonly { readonly rule: string; readonly ids: readonly number[]; readonly want: ShardName }[] = [
  { rule: "the only shard has no name, because older nodes know none", ids: [2], want: { bdb: 7 } },
  { rule: "one of two has its id", ids: [1, 2], want: { bdb: 7, shard: 2 } },
  { rule: "the first of two has one too", ids: [2, 1], want: { bdb: 7, shard: 2 } },
];

for (const { rule, ids, want } of cases)
  test(`names in commands: ${rule}`, () => {
    assert.deepEqual(nameShard({ uid: 7, shards: ids.map(shard) }, 2), want);
  });
