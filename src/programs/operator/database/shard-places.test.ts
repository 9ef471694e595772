import assert from "node:assert/strict";
import { test } from "node:test";
import { SHOWN_PRIMARY as ENGINE } from "../../../../test/kit/facts/shown-primary.ts";
import type { ShardInstanceRecord } from "../../../ports/management/records.ts";
import { shardPlaces } from "./shard-places.ts";

const SECOND = { ...ENGINE, shard: 2, epoch: 1, assigned_slots: "8192-16383", node_uid: "2" };
const REPLICA = { ...ENGINE, role: "slave", node_uid: "3" } as const;
const FIRST_PLACE = {
  id: 1,
  slots: "0-8191",
  epoch: 3,
  storeVersion: "8.0",
  state: "active",
  primary: 1,
  replicas: [3],
};

const cases: readonly { rule: string; engines: readonly ShardInstanceRecord[]; want: readonly unknown[] }[] = [
  { rule: "a shard is its primary and its replicas", engines: [REPLICA, ENGINE], want: [FIRST_PLACE] },
  {
    rule: "shards are in the order of their slots",
    engines: [SECOND, ENGINE, REPLICA],
    want: [FIRST_PLACE, { ...FIRST_PLACE, id: 2, slots: "8192-16383", epoch: 1, primary: 2, replicas: [] }],
  },
  { rule: "those of other databases are not among them", engines: [{ ...ENGINE, bdb_uid: 2 }], want: [] },
  {
    rule: "the version and the state are those of the primary",
    engines: [{ ...ENGINE, status: "inactive", detailed_status: "down", redis_version: "7.2" }, REPLICA],
    want: [{ ...FIRST_PLACE, storeVersion: "7.2", state: "down" }],
  },
  { rule: "a shard whose primary is not known is left out", engines: [REPLICA], want: [] },
];

for (const { rule, engines, want } of cases)
  test(`the shards in the status: ${rule}`, () => assert.deepEqual(shardPlaces({ uid: 1 }, engines), want));

test("the shards in the status: the only shard of a node that does not number it is the first", () => {
  const { shard: _shard, epoch: _epoch, ...older } = ENGINE;
  assert.deepEqual(shardPlaces({ uid: 1 }, [older, REPLICA]), [{ ...FIRST_PLACE, epoch: undefined }]);
});
