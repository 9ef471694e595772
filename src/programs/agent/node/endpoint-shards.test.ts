import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, on } from "../../../../test/kit/facts/database-scene.ts";
import type { ShardRecord } from "../../../core/api/records.ts";
import type { EndpointShard, SyncReplicas } from "../../../ports/management/proxy-control.ts";
import { wantedEndpoint } from "./wanted.ts";

const first: ShardRecord = { id: 1, epoch: 4, primary: 1, instances: [on(1, 1), on(2, 2)] };
const second: ShardRecord = { id: 2, epoch: 9, primary: 4, instances: [on(3, 2), on(4, 3)] };
const sync: SyncReplicas = { withoutReplica: "wait", epoch: 9 };
const atFirst = { host: "10.0.0.1", port: 20_001 };
const atSecond = { host: "10.0.0.3", port: 20_004 };

const cases: readonly {
  readonly rule: string;
  readonly shards: readonly ShardRecord[];
  readonly syncOf?: Readonly<Record<number, SyncReplicas>>;
  readonly want: readonly EndpointShard[] | undefined;
}[] = [
  { rule: "a database that has no shard yet has no endpoint", shards: [], want: undefined },
  {
    rule: "each shard has an epoch and a primary of its own",
    shards: [first, second],
    want: [
      { id: 1, epoch: 4, primary: atFirst },
      { id: 2, epoch: 9, primary: atSecond },
    ],
  },
  {
    rule: "a shard whose primary is cut off has none, in the epoch that is about to begin, and the other is served",
    shards: [first, { ...second, switchover: { to: 3, epoch: 10, forced: true } }],
    want: [
      { id: 1, epoch: 4, primary: atFirst },
      { id: 2, epoch: 10 },
    ],
  },
  {
    rule: "a planned move changes nothing until it is made",
    shards: [{ ...first, switchover: { to: 2, epoch: 5 } }],
    want: [{ id: 1, epoch: 4, primary: atFirst }],
  },
  {
    rule: "replies of a shard wait for its own replicas",
    shards: [first, second],
    syncOf: { 2: sync },
    want: [
      { id: 1, epoch: 4, primary: atFirst },
      { id: 2, epoch: 9, primary: atSecond, sync },
    ],
  },
];

for (const { rule, shards, syncOf = {}, want } of cases)
  test(`the endpoint of a database: ${rule}`, () => {
    const { record } = factsOf({ instances: first.instances });
    const endpoint = wantedEndpoint(
      { ...record, shards },
      { node: 1, address: "10.0.0.1", namespace: "ns" },
      {
        set: { password: "", others: [] },
        revision: 0,
        step: 0,
        access: { clients: [""] },
        certificate: undefined,
      },
      { addressOf: (node) => `10.0.0.${node}`, syncOf: ({ id }) => syncOf[id] },
    );
    assert.deepEqual(endpoint?.shards, want);
  });
