import assert from "node:assert/strict";
import { test } from "node:test";
import type { DatabaseRecord, InstanceRecord, ShardRecord, StoreVersion } from "../api/records.ts";
import { decideDatabase } from "./database.ts";
import type { DatabaseStep } from "./database.ts";
import type { DatabaseFacts, InstanceFacts, NodeFacts } from "./database-facts.ts";
import { REPLICA_LOST_MS } from "./replicas.ts";

const node = (uid: number, over: Partial<NodeFacts> = {}): NodeFacts => ({
  uid,
  alive: true,
  goneForMs: 0,
  draining: false,
  engines: ["7.2", "8.0"],
  memoryBytes: 1e9,
  ...over,
});
const on = (id: number, nodeUid: number, storeVersion: StoreVersion = "7.2"): InstanceRecord => ({
  id,
  node: nodeUid,
  port: 20_000 + id,
  storeVersion,
  launch: id === 1 ? 1 : 0,
});
const serving: InstanceFacts = {
  state: "serving",
  role: "replica",
  offset: 100,
  lagBytes: 0,
  streaming: true,
  hasData: true,
  configured: true,
  follows: "the primary",
};
const primary: InstanceFacts = { ...serving, role: "primary" };
const silence: InstanceFacts = {
  state: "silent",
  offset: -1,
  lagBytes: -1,
  streaming: false,
  hasData: false,
  configured: false,
};
const dead: InstanceFacts = { ...silence, state: "dead" };
const behind: InstanceFacts = { ...serving, lagBytes: 1_000_000 };
const toVersion8: Partial<DatabaseRecord> = {
  status: "active-change-pending",
  upgrade: { target: "8.0", actionUid: "a", startedAt: "t", mayDiscardData: false, waitingFor: "" },
};

interface Scene {
  readonly instances: readonly InstanceRecord[];
  /** Of the instances that are not healthy. */
  readonly but?: Readonly<Record<number, InstanceFacts>>;
  readonly nodes?: readonly NodeFacts[];
  readonly record?: Partial<DatabaseRecord>;
  readonly shard?: Partial<ShardRecord>;
  readonly verified?: readonly number[];
}

function factsOf({ instances, but = {}, nodes = [], record = {}, shard = {}, verified = [] }: Scene): DatabaseFacts {
  const one: ShardRecord = { id: 1, epoch: 1, primary: 1, instances, ...shard };
  const all: DatabaseRecord = {
    uid: 1,
    name: "orders",
    memoryBytes: 1e8,
    port: 10_000,
    replication: true,
    persistence: "disabled",
    evictionPolicy: "noeviction",
    storeVersion: "7.2",
    status: "active",
    shards: [one],
    nextInstance: 9,
    lossReports: [],
    createdTime: "t",
    lastChangedTime: "t",
    ...record,
  };
  const healthy = instances.map(({ id }) => [id, but[id] ?? (id === one.primary ? primary : serving)] as const);
  const given = new Map(nodes.map((each) => [each.uid, each]));
  return {
    record: all,
    nodes: [1, 2, 3].map((uid) => given.get(uid) ?? node(uid)),
    instances: new Map(healthy),
    verified: new Set(verified),
    everything: instances.map(({ id, node: uid, port }) => ({ node: uid, port, memoryBytes: 1e8, primary: id === 1 })),
  };
}

/** A step in a few words. */
function brief(step: DatabaseStep): string {
  switch (step.kind) {
    case "switch-over":
    case "fail-over":
      return `${step.kind} to ${step.to}`;
    case "add-replica":
      return `add ${step.storeVersion} on node ${step.node}`;
    case "retire":
    case "relaunch":
      return `${step.kind} ${step.instance}`;
    case "verify":
    case "reattach":
      return `${step.kind} ${step.replica}`;
    case "wait":
      return `wait: ${step.reason}`;
    default:
      return step.kind;
  }
}

const pair = [on(1, 1), on(2, 2)];
const draining1 = [node(1, { draining: true })];

const cases: readonly (Scene & { readonly rule: string; readonly want: string })[] = [
  { rule: "a database with a primary and a replica in sync rests", instances: pair, want: "rest" },
  {
    rule: "a new database is active once its replica is in sync",
    instances: pair,
    record: { status: "pending" },
    want: "activate",
  },
  {
    rule: "a new database waits for its replica, and says how far it is",
    instances: pair,
    record: { status: "pending" },
    but: { 2: behind },
    want: "wait: the 7.2 replica on node 2 is 1000000 bytes behind the primary",
  },
  {
    rule: "a changed database is active once every engine has the new settings",
    instances: pair,
    record: { status: "active-change-pending" },
    but: { 2: { ...serving, configured: false } },
    want: "wait: the engine on node 2 has not taken the new settings yet",
  },
  {
    rule: "a switchover that had begun comes before everything else",
    instances: pair,
    shard: { switchover: { to: 2, epoch: 2 } },
    but: { 1: dead },
    want: "resume-switchover",
  },
  { rule: "a dead primary is followed by its replica", instances: pair, but: { 1: dead }, want: "fail-over to 2" },
  {
    rule: "of two replicas the one with more data takes over",
    instances: [...pair, on(3, 3)],
    but: { 1: dead, 3: { ...serving, offset: 101 } },
    want: "fail-over to 3",
  },
  {
    rule: "a replica that was promoted already takes over, whatever the offsets",
    instances: [...pair, on(3, 3)],
    but: { 1: dead, 2: primary, 3: { ...serving, offset: 101 } },
    want: "fail-over to 2",
  },
  {
    rule: "a replica that never held the data does not take over: the only copy starts again",
    instances: pair,
    but: { 1: { ...dead, usedLaunch: 1 }, 2: { ...serving, hasData: false, streaming: false } },
    want: "relaunch 1",
  },
  {
    rule: "a launch that was allowed and not used yet is not allowed twice",
    instances: [{ ...on(1, 1), launch: 2 }],
    record: { replication: false },
    but: { 1: { ...dead, usedLaunch: 1 } },
    want: 'wait: the primary of "orders" on node 1 is starting',
  },
  {
    rule: "the only copy on a node that is gone is waited for",
    instances: [on(1, 1)],
    record: { replication: false },
    but: { 1: dead },
    nodes: [node(1, { alive: false, goneForMs: 7_000 })],
    want: "wait: node 1 holds the only copy and has been gone for 7 s",
  },
  {
    rule: "a primary that is silent is not replaced while its node may still run it",
    instances: pair,
    but: { 1: silence },
    want: 'wait: the primary of "orders" on node 1 does not answer, and its node has not said that it crashed',
  },
  {
    rule: "a replica that follows somebody else is pointed at the primary",
    instances: pair,
    but: { 2: { ...serving, streaming: false, follows: "another" } },
    want: "reattach 2",
  },
  {
    rule: "a primary leaves a draining node for its replica in sync",
    instances: pair,
    nodes: draining1,
    want: "switch-over to 2",
  },
  {
    rule: "a primary does not leave for a replica that is behind",
    instances: pair,
    nodes: draining1,
    but: { 2: behind },
    want: "wait: the 7.2 replica on node 2 is 1000000 bytes behind the primary",
  },
  {
    rule: "a primary without replica gets one elsewhere before its node is left",
    instances: [on(1, 1)],
    record: { replication: false },
    nodes: draining1,
    want: "add 7.2 on node 2",
  },
  {
    rule: "what is left on the draining node goes once the primary has moved",
    instances: [on(1, 1), on(2, 2)],
    record: { replication: false },
    shard: { primary: 2 },
    nodes: draining1,
    want: "retire 1",
  },
  {
    rule: "two nodes drained at once: a third copy is made on the node that stays",
    instances: pair,
    nodes: [node(1, { draining: true }), node(2, { draining: true })],
    want: "add 7.2 on node 3",
  },
  {
    rule: "a replica whose node restarts is waited for",
    instances: pair,
    but: { 2: dead },
    nodes: [node(2, { alive: false, goneForMs: REPLICA_LOST_MS - 1 })],
    want: "wait: the 7.2 replica on node 2 does not run",
  },
  {
    rule: "a replica whose node is gone for long is made again elsewhere",
    instances: pair,
    but: { 2: dead },
    nodes: [node(2, { alive: false, goneForMs: REPLICA_LOST_MS })],
    want: "add 7.2 on node 3",
  },
  {
    rule: "the lost replica goes when its successor is in sync",
    instances: [...pair, on(3, 3)],
    but: { 2: dead },
    nodes: [node(2, { alive: false, goneForMs: REPLICA_LOST_MS })],
    want: "retire 2",
  },
  {
    rule: "a replica on a node in maintenance is not made again, however long that lasts",
    instances: pair,
    but: { 2: dead },
    nodes: [node(2, { alive: false, draining: true, goneForMs: 2 * REPLICA_LOST_MS })],
    want: "wait: the 7.2 replica on node 2 does not run",
  },
  {
    rule: "replication turned on gets a replica",
    instances: [on(1, 1)],
    record: { status: "active-change-pending" },
    want: "add 7.2 on node 2",
  },
  {
    rule: "replication turned off loses its replica",
    instances: pair,
    record: { status: "active-change-pending", replication: false },
    want: "retire 2",
  },
  { rule: "upgrade 1: a new replica is added", instances: pair, record: toVersion8, want: "add 8.0 on node 3" },
  {
    rule: "upgrade 2: no old replica goes before the new one is in sync",
    instances: [...pair, on(3, 3, "8.0")],
    record: toVersion8,
    but: { 3: { ...serving, streaming: false, lagBytes: -1 } },
    want: "wait: the 8.0 replica on node 3 is receiving the data",
  },
  {
    rule: "upgrade 3: the old replica makes room",
    instances: [...pair, on(3, 3, "8.0")],
    record: toVersion8,
    want: "retire 2",
  },
  {
    rule: "upgrade 4: a second new replica takes its place",
    instances: [on(1, 1), on(3, 3, "8.0")],
    record: toVersion8,
    want: "add 8.0 on node 2",
  },
  {
    rule: "upgrade 5: the content is compared before the takeover",
    instances: [on(1, 1), on(3, 3, "8.0"), on(4, 2, "8.0")],
    record: toVersion8,
    want: "verify 3",
  },
  {
    rule: "upgrade 6: the new version takes over with a replica of its own in sync",
    instances: [on(1, 1), on(3, 3, "8.0"), on(4, 2, "8.0")],
    record: toVersion8,
    verified: [3],
    want: "switch-over to 3",
  },
  {
    rule: "upgrade 7: the old primary goes",
    instances: [on(1, 1), on(3, 3, "8.0"), on(4, 2, "8.0")],
    shard: { primary: 3 },
    record: toVersion8,
    want: "retire 1",
  },
  {
    rule: "upgrade 8: it is over when every instance is new and in sync",
    instances: [on(3, 3, "8.0"), on(4, 2, "8.0")],
    shard: { primary: 3 },
    record: toVersion8,
    want: "finish-upgrade",
  },
  {
    rule: "upgrade without replication: one surge replica takes over",
    instances: [on(1, 1), on(2, 2, "8.0")],
    record: { ...toVersion8, replication: false },
    verified: [2],
    want: "switch-over to 2",
  },
  {
    rule: "upgrade: the takeover is not to a node in maintenance",
    instances: [on(1, 1), on(3, 3, "8.0"), on(4, 2, "8.0")],
    record: toVersion8,
    nodes: [node(3, { draining: true })],
    verified: [3, 4],
    want: "switch-over to 4",
  },
  {
    rule: "upgrade: with the primary dead a new replica takes over and the upgrade goes on",
    instances: [on(1, 1), on(3, 3, "8.0")],
    record: toVersion8,
    but: { 1: dead },
    want: "fail-over to 3",
  },
  {
    rule: "upgrade: a new replica on a node that is gone for long is made again",
    instances: [...pair, on(3, 3, "8.0")],
    record: toVersion8,
    but: { 3: dead },
    nodes: [node(3, { alive: false, goneForMs: REPLICA_LOST_MS })],
    want: "add 8.0 on node 2",
  },
  {
    rule: "upgrade: no node with the engine is a reason to wait, named node by node",
    instances: pair,
    record: toVersion8,
    nodes: [1, 2, 3].map((uid) => node(uid, { engines: ["7.2"] })),
    want:
      'wait: "orders" needs another replica, but no node can take a 8.0 replica: node 1 has no 8.0 engine, ' +
      "node 2 has no 8.0 engine, node 3 has no 8.0 engine",
  },
];

for (const scene of cases) {
  test(scene.rule, () => {
    assert.equal(brief(decideDatabase(factsOf(scene))), scene.want);
  });
}

test("every road of an upgrade ends, and never with fewer instances in sync than before", () => {
  let scene: Scene = { instances: pair, record: toVersion8 };
  const steps: string[] = [];
  for (let turn = 0; turn < 20; turn += 1) {
    const facts = factsOf(scene);
    const step = decideDatabase(facts);
    steps.push(brief(step));
    if (step.kind === "finish-upgrade") break;
    scene = after(scene, facts, step);
    const healthy = scene.instances.length;
    assert.ok(healthy >= 2 && healthy <= 3, `${healthy} instances after ${brief(step)}`);
  }
  assert.deepEqual(steps, [
    "add 8.0 on node 3",
    "retire 2",
    "add 8.0 on node 2",
    "verify 9",
    "switch-over to 9",
    "retire 1",
    "finish-upgrade",
  ]);
});

/** The scene when the step has been taken and all replicas have caught up. */
function after(scene: Scene, { record }: DatabaseFacts, step: DatabaseStep): Scene {
  switch (step.kind) {
    case "add-replica": {
      const fresh = { ...on(record.nextInstance, step.node, step.storeVersion), port: step.port };
      return {
        ...scene,
        instances: [...scene.instances, fresh],
        record: { ...scene.record, nextInstance: record.nextInstance + 1 },
      };
    }
    case "retire":
      return { ...scene, instances: scene.instances.filter(({ id }) => id !== step.instance) };
    case "verify":
      return { ...scene, verified: [step.replica] };
    case "switch-over":
      return { ...scene, shard: { primary: step.to, epoch: 2 } };
    default:
      throw new Error(`did not expect ${brief(step)}`);
  }
}
