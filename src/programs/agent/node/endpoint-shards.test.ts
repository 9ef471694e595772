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

/** What an endpoint is made with; each node has an address of its own. */
const held = {
  set: { password: "", others: [] },
  revision: 0,
  step: 0,
  access: { clients: [""] },
  certificate: undefined,
};
const at = { node: 1, address: "10.0.0.1", namespace: "ns" };
const addressOf = (node: number): string => `10.0.0.${node}`;

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
    rule: "the slots of shards are those of the record",
    shards: [
      { ...first, slots: [{ from: 0, to: 99 }] },
      { ...second, slots: [{ from: 100, to: 16_383 }] },
    ],
    want: [
      { id: 1, epoch: 4, primary: atFirst, slots: [{ from: 0, to: 99 }] },
      { id: 2, epoch: 9, primary: atSecond, slots: [{ from: 100, to: 16_383 }] },
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
    const means = { addressOf, syncOf: ({ id }: ShardRecord) => syncOf[id], openNodes: [], leftNodes: [] };
    assert.deepEqual(wantedEndpoint({ ...record, shards }, at, held, means)?.shards, want);
  });

test("the endpoint of a database has the epoch of its slots, once they have moved", () => {
  const { record } = factsOf({ instances: first.instances });
  const means = { addressOf, syncOf: () => undefined, openNodes: [], leftNodes: [] };
  assert.equal(wantedEndpoint({ ...record, tableEpoch: 7 }, at, held, means)?.tableEpoch, 7);
  assert.equal("tableEpoch" in (wantedEndpoint(record, at, held, means) ?? {}), false);
});

test("the endpoint of a database knows where the nodes are that take clients when clients see a cluster, and only then", () => {
  const { record } = factsOf({ instances: first.instances });
  const means = { addressOf, syncOf: () => undefined, openNodes: [1, 3], leftNodes: [] };
  const nodes = [1, 3].map((node) => ({ node, host: addressOf(node) }));
  const { nodes: known, clusterPort } =
    wantedEndpoint({ ...record, ossCluster: true, clusterPort: 19_999 }, at, held, means) ?? {};
  assert.deepEqual([known, clusterPort], [nodes, 19_999]);
  assert.equal("clusterPort" in (wantedEndpoint({ ...record, clusterPort: 19_999 }, at, held, means) ?? {}), false);
  assert.equal("nodes" in (wantedEndpoint(record, at, held, means) ?? {}), false);
});

test("clients of a cluster are not sent to a node that is left once no primary is there, unless all nodes are left", () => {
  const { record } = factsOf({ instances: first.instances });
  const means = { addressOf, syncOf: () => undefined };
  const nodesOf = (openNodes: readonly number[], leftNodes: readonly number[]) =>
    wantedEndpoint({ ...record, ossCluster: true }, at, held, { ...means, openNodes, leftNodes })?.nodes?.map(
      ({ node }) => node,
    );
  assert.deepEqual(nodesOf([1, 2, 3], [1, 3]), [1, 2], "the primary is at node 1");
  assert.deepEqual(nodesOf([2, 3], [2, 3]), [2, 3]);
});
