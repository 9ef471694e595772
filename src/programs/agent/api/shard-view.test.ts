import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf } from "../../../../test/kit/facts/database-scene.ts";
import type { ShardRecord } from "../../../core/api/records.ts";
import type { EngineAnswer } from "../observation/engine-watch.ts";
import { shardViews } from "./shard-view.ts";

const INSTANCES = [1, 2].map((id) => ({ id, node: id, port: 20_000 + id, storeVersion: "7.2" as const, launch: 0 }));
const link = { status: "up", host: "10.0.0.1", port: 20_001, syncing: false, receivedBytes: 9 };
const fed = { host: "10.0.0.2", port: 20_002, state: "online", offset: 900, lagSeconds: 0 };

const cases: readonly { rule: string; inSync?: ShardRecord["inSync"]; keeps?: boolean; want: boolean }[] = [
  { rule: "a replica in the set of this epoch is in sync", inSync: { epoch: 2, members: [2] }, want: true },
  { rule: "one that has caught up and is not in the set is not", inSync: { epoch: 2, members: [] }, want: false },
  { rule: "one is while there is no set of this epoch", inSync: { epoch: 1, members: [] }, want: true },
  {
    rule: "where the node of the primary keeps no set, the distance alone counts",
    inSync: { epoch: 2, members: [] },
    keeps: false,
    want: true,
  },
];

for (const { rule, inSync, keeps = true, want } of cases) {
  test(rule, () => {
    const shard = { epoch: 2, ...(inSync === undefined ? {} : { inSync }) };
    const { record } = factsOf({ instances: INSTANCES, shard });
    const answers = new Map([
      [1, serving({ role: "primary", replicationId: "a", offset: 1_000, replicas: [fed] })],
      [2, serving({ role: "replica", replicationId: "a", offset: 900, replicas: [], link })],
    ]);
    const nodes = [1, 2].map((uid) => ({ uid, keepsInSync: keeps }));
    const views = shardViews(record, { answers, nodes, addressOf: (node) => `10.0.0.${node}` });
    assert.deepEqual(
      views.map(({ in_sync }) => in_sync),
      [true, want],
    );
  });
}

function serving(replication: unknown): EngineAnswer {
  return JSON.parse(JSON.stringify({ state: "serving", engine: { name: "redis", version: "7.0.15" }, replication }));
}
