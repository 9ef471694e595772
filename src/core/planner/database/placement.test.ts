import assert from "node:assert/strict";
import { test } from "node:test";
import type { NodeFacts, PlacedInstance } from "./facts.ts";
import { freeClusterPort, freeEndpointPort, noPlace, placeInstance, placeKept } from "./placement.ts";
import type { PlacementRequest } from "./placement.ts";

const MIB = 1_048_576;
const node = (uid: number, over: Partial<NodeFacts> = {}): NodeFacts => ({
  uid,
  alive: true,
  goneForMs: 0,
  draining: false,
  engines: ["7.2", "8.0"],
  tlsEngines: ["7.2", "8.0"],
  memoryBytes: 1_000 * 1_048_576,
  keepsInSync: true,
  startsAnew: true,
  pod: "rec-0",
  ...over,
});
const held = (uid: number, over: Partial<PlacedInstance> = {}): PlacedInstance => ({
  node: uid,
  port: 20_001,
  memoryBytes: 100 * 1_048_576,
  diskBytes: 200 * 1_048_576,
  primary: false,
  ...over,
});

const sibling = (uid: number, primary: boolean): PlacedInstance => held(uid, { port: 20_010, diskBytes: 0, primary });

const cases: readonly (Partial<PlacementRequest> & { readonly rule: string; readonly want: object })[] = [
  { rule: "equal nodes: the lowest uid", want: { node: 1, port: 20_001 } },
  {
    rule: "a primary goes where the fewest primaries are, whatever else is there",
    everything: [held(1, { primary: true }), held(2), held(2), held(3, { primary: true })],
    want: { node: 2, port: 20_002 },
  },
  {
    rule: "a replica goes where the fewest instances are",
    role: "replica",
    everything: [held(1), held(1), held(2), held(3), held(3)],
    want: { node: 2, port: 20_002 },
  },
  { rule: "not beside another instance of the shard", avoid: [1], want: { node: 2, port: 20_001 } },
  {
    rule: "not on a node that is down, or that is being left",
    nodes: [node(1, { alive: false }), node(2, { draining: true }), node(3)],
    want: { node: 3, port: 20_001 },
  },
  {
    rule: "the port is another one for each instance, also when lower ones are free",
    portOffset: 14,
    everything: [held(1, { port: 20_014 }), held(2), held(3)],
    want: { node: 1, port: 20_015 },
  },
  {
    rule: "the search for a port goes round",
    portOffset: 9_999,
    nodes: [node(1)],
    everything: [held(1, { port: 29_999 })],
    want: { node: 1, port: 20_000 },
  },
  {
    rule: "a refusal says why, node by node",
    avoid: [4],
    nodes: [
      node(1, { alive: false }),
      node(2, { engines: ["8.0"] }),
      node(3, { memoryBytes: 150 * 1_048_576 }),
      node(4),
      node(5, { draining: true }),
    ],
    everything: [held(3)],
    want: noPlace(
      "no node can take a 7.2 primary: node 1 is down, node 2 has no 7.2 engine, node 3 has 50 MiB of the 100 MiB " +
        "it needs, node 4 already holds an instance of it, node 5 is in maintenance or does not reach the Kubernetes API",
    ),
  },
  {
    rule: "what is new needs room for all that may be there at worst, and the refusal names what fits",
    nodes: [node(1, { container: { limit: 900 * MIB, reserve: 700 * MIB } })],
    want: noPlace("no node can take a 7.2 primary: node 1 has room for a database of 70 MiB, and this one has 100 MiB"),
  },
  {
    rule: "its machine counts no more where a node has named its container, and alone where it has not",
    nodes: [node(1, { memoryBytes: 64_000 * MIB, container: { limit: 800 * MIB, reserve: 700 * MIB } }), node(2)],
    want: { node: 2, port: 20_001 },
  },
  {
    rule: "what runs already needs room while no fork runs",
    room: "resting",
    nodes: [node(1, { container: { limit: 900 * MIB, reserve: 700 * MIB } })],
    want: { node: 1, port: 20_001 },
  },
  {
    rule: "it finds none where data alone would fill the container",
    room: "resting",
    nodes: [node(1, { container: { limit: 800 * MIB, reserve: 700 * MIB } })],
    want: noPlace("no node can take a 7.2 primary: node 1 has 100 MiB of the 127 MiB it needs at rest"),
  },
  {
    rule: "what is new needs room on the volume for all that may come to lie there",
    nodes: [node(1, { container: { limit: 9_000 * MIB, reserve: 0 }, volumeRoom: 399 * MIB })],
    everything: [held(1)],
    want: noPlace("no node can take a 7.2 primary: node 1 has 208 MB left of its volume, of 210 MB for it"),
  },
  {
    rule: "what runs already does not wait for that",
    room: "resting",
    nodes: [node(1, { container: { limit: 9_000 * MIB, reserve: 0 }, volumeRoom: 0 })],
    want: { node: 1, port: 20_001 },
  },
  {
    rule: "the rule of older releases counts data on the machine",
    room: "machine",
    nodes: [node(1, { container: { limit: 800 * MIB, reserve: 700 * MIB } })],
    want: { node: 1, port: 20_001 },
  },
  {
    rule: "of a database of several shards, primaries go apart before they go where few of other databases are",
    ofOtherShards: [sibling(1, true), sibling(2, false)],
    everything: [sibling(1, true), sibling(2, false), ...[1, 2, 3, 4].map(() => held(2))],
    nodes: [node(1), node(2)],
    want: { node: 2, port: 20_002 },
  },
  {
    rule: "and replicas go where few of its instances are",
    role: "replica",
    ofOtherShards: [sibling(1, true), sibling(1, false), sibling(2, false)],
    everything: [sibling(1, true), sibling(1, false), sibling(2, false), held(2), held(2)],
    nodes: [node(1), node(2)],
    want: { node: 2, port: 20_002 },
  },
  {
    rule: "a dense database has its replicas beside its other replicas, not beside its primaries",
    role: "replica",
    shardsPlacement: "dense",
    avoid: [1],
    ofOtherShards: [sibling(1, true), sibling(3, false)],
    everything: [sibling(1, true), sibling(3, false), held(3), held(3)],
    want: { node: 3, port: 20_002 },
  },
  { rule: "without nodes", nodes: [], want: noPlace("no node can take a 7.2 primary: no node is known") },
];

for (const { rule, want, ...request } of cases) {
  test(rule, () => {
    const placed = placeInstance({
      nodes: [node(1), node(2), node(3)],
      everything: [],
      ofOtherShards: [],
      shardsPlacement: "sparse",
      storeVersion: "7.2",
      tls: false,
      memoryBytes: 100 * 1_048_576,
      avoid: [],
      diskBytes: 200 * 1_048_576,
      role: "primary",
      room: "growth",
      portOffset: 1,
      ...request,
    });
    assert.deepEqual(placed, want);
  });
}

test("a copy of what runs goes where most room is left by the strictest rule that finds a place", () => {
  const tight = (uid: number, limit: number): NodeFacts => node(uid, { container: { limit: limit * MIB, reserve: 0 } });
  const request = {
    storeVersion: "7.2" as const,
    tls: false,
    memoryBytes: 100 * MIB,
    diskBytes: 0,
    role: "replica" as const,
    portOffset: 1,
    everything: [],
    ofOtherShards: [],
    shardsPlacement: "sparse" as const,
    avoid: [],
  };
  const placed = (nodes: readonly NodeFacts[]) => placeKept({ ...request, nodes }, ["growth", "resting", "machine"]);
  assert.deepEqual(placed([tight(1, 50), tight(2, 150), tight(3, 400)]), { node: 3, port: 20_001 });
  assert.deepEqual(placed([tight(1, 50), tight(2, 150)]), { node: 2, port: 20_001 });
  assert.deepEqual(placed([tight(1, 50)]), { node: 1, port: 20_001 });
});

test("the lowest free endpoint port is taken", () => {
  assert.equal(freeEndpointPort([10_000, 10_002]), 10_001);
});

test("without a free endpoint port there is none", () => {
  assert.equal(freeEndpointPort(Array.from({ length: 10_000 }, (_, index) => 10_000 + index)), undefined);
});

test("clients of a cluster get the highest port that no database has", () => {
  assert.equal(freeClusterPort([10_000]), 19_999);
  assert.equal(freeClusterPort([19_999, 19_997]), 19_998);
  assert.equal(freeClusterPort(Array.from({ length: 10_000 }, (_, index) => 10_000 + index)), undefined);
});
