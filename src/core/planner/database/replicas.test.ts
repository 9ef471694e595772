import assert from "node:assert/strict";
import { test } from "node:test";
import { brief, dead, factsOf, node, on, serving, toVersion8 } from "../../../../test/kit/facts/database-scene.ts";
import type { Scene } from "../../../../test/kit/facts/database-scene.ts";
import { decideDatabase } from "./decide.ts";
import type { Step } from "../findings/step.ts";
import type { LeaderAct } from "./step.ts";
import type { DatabaseFacts } from "./facts.ts";
import { REPLICA_LOST_MS } from "./replicas.ts";

const pair = [on(1, 1), on(2, 2)];

const cases: readonly (Scene & { readonly rule: string; readonly want: string })[] = [
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
    rule: "upgrade: a new primary with an old replica alone gets a new one, although the old one is in sync",
    instances: [on(1, 1), on(3, 3, "8.0")],
    shard: { primary: 3 },
    record: toVersion8,
    want: "add 8.0 on node 2",
  },
  {
    rule: "upgrade: of two old replicas of a new primary the one goes first that is not in sync",
    instances: [on(1, 1), on(2, 2), on(3, 3, "8.0")],
    shard: { primary: 3 },
    record: toVersion8,
    but: { 1: { ...serving, streaming: false, lagBytes: -1 } },
    want: "retire 1",
  },
  {
    rule: "upgrade: nothing waits for an old replica of a new primary, which may be unable to take its data",
    instances: [on(1, 1), on(2, 2), on(3, 3, "8.0")],
    shard: { primary: 3 },
    record: toVersion8,
    but: Object.fromEntries([1, 2].map((id) => [id, { ...serving, streaming: false, lagBytes: -1 }])),
    want: "retire 2",
  },
  {
    rule: "upgrade: two old replicas go once a new one is in sync",
    instances: [on(1, 1), on(2, 2), on(3, 3, "8.0"), on(4, 2, "8.0")],
    shard: { primary: 3 },
    record: toVersion8,
    but: { 1: { ...serving, streaming: false, lagBytes: -1 } },
    want: "retire 1",
  },
  {
    rule: "upgrade: the last old replica stays until a new one is in sync",
    instances: [on(1, 1), on(3, 3, "8.0"), on(4, 2, "8.0")],
    shard: { primary: 3 },
    record: toVersion8,
    but: { 4: { ...serving, streaming: false, lagBytes: -1 } },
    want: "wait: the 8.0 replica on node 2 is receiving the data",
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

test("every path of an upgrade ends, and never with fewer instances in sync than before", () => {
  let scene: Scene = { instances: pair, record: toVersion8 };
  const steps: string[] = [];
  for (let turn = 0; turn < 20; turn += 1) {
    const facts = factsOf(scene);
    const step = decideDatabase(facts);
    steps.push(brief(step));
    if (steps.at(-1) === "finish-upgrade") break;
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

test("an upgrade ends with new instances alone, wherever its primary has to move to a new replica that is alone", () => {
  for (let moved = 0; moved < 7; moved += 1) {
    let scene: Scene = { instances: pair, record: toVersion8 };
    const steps: string[] = [];
    for (let turn = 0; steps.at(-1) !== "finish-upgrade"; turn += 1) {
      assert.ok(turn < 20, `moved after ${moved} steps: ${steps.join(", ")}`);
      if (turn === moved) scene = withNewPrimary(scene);
      const facts = factsOf({ ...scene, but: unableOf(scene) });
      const step = decideDatabase(facts);
      steps.push(brief(step));
      if (steps.at(-1) !== "finish-upgrade") scene = after(scene, facts, step);
      assert.ok(scene.instances.length <= 3, `moved after ${moved} steps: ${steps.join(", ")}`);
    }
    const versions = scene.instances.map(({ storeVersion }) => storeVersion);
    assert.deepEqual(versions, ["8.0", "8.0"], `moved after ${moved} steps: ${steps.join(", ")}`);
  }
});

/** As after an evacuation of the node of the primary. */
function withNewPrimary(scene: Scene): Scene {
  const heir = scene.instances.find(({ storeVersion }) => storeVersion === "8.0");
  return heir === undefined ? scene : { ...scene, shard: { primary: heir.id, epoch: 2 } };
}

/** An old engine may be unable to read what a new one gives. */
function unableOf({ instances, shard }: Scene): NonNullable<Scene["but"]> {
  const primary = instances.find(({ id }) => id === (shard?.primary ?? 1));
  const unable = instances.filter(({ storeVersion }) => storeVersion < (primary?.storeVersion ?? ""));
  return Object.fromEntries(unable.map(({ id }) => [id, { ...serving, streaming: false, lagBytes: -1 }]));
}

/** The scene when the step has been taken and all replicas have caught up. */
function after(scene: Scene, { record }: DatabaseFacts, decided: Step<LeaderAct>): Scene {
  const step = decided.kind === "act" ? decided.act : decided;
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
      throw new Error(`did not expect ${brief(decided)}`);
  }
}
