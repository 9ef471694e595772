import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterView } from "../../../../test/kit/facts/cluster-view.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { block, warn } from "../../../core/planner/findings/finding.ts";
import type { Look } from "../access/look.ts";
import type { NamespaceAccess } from "../access/namespace-access.ts";
import { operatorIsStarting } from "./operator-rollout.ts";
import { clusterSight, databasesSight, operatorSight } from "./sights.ts";

const VERSION = "8.2.0-12";

/** A place with one object, whatever is asked for. */
function placeWith(object: object | undefined, items: readonly object[] = []): NamespaceAccess {
  const kube = { get: () => Promise.resolve(object), list: () => Promise.resolve({ items }) };
  return { namespace: "default", kube } as unknown as NamespaceAccess; // all that is asked
}

const progressing = (status: string, reason: string) => [
  { type: "Progressing", status, reason, message: "it says why" },
];
const done = { observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
const begun = { ...done, availableReplicas: 0 };

function deployment(status: object, image = `operator:${VERSION}`): object {
  return { metadata: { generation: 2 }, spec: { template: { spec: { containers: [{ image }] } } }, status };
}

const rollouts: readonly [rule: string, object: object | undefined, isStarting: boolean][] = [
  ["one that is missing", undefined, false],
  ["one that is ready", deployment({ ...done, conditions: progressing("True", "NewReplicaSetAvailable") }), false],
  ["one whose pod is coming up", deployment({ ...begun, conditions: progressing("True", "ReplicaSetUpdated") }), true],
  [
    "one whose pod has left",
    deployment({ ...begun, conditions: progressing("True", "NewReplicaSetAvailable") }),
    false,
  ],
  [
    "one that was given up",
    deployment({ ...begun, conditions: progressing("False", "ProgressDeadlineExceeded") }),
    false,
  ],
  [
    "an edit that was not taken up yet",
    deployment({ ...done, observedGeneration: 1, conditions: progressing("True", "ReplicaSetUpdated") }),
    true,
  ],
];

for (const [rule, object, isStarting] of rollouts) {
  test(`the Deployment of the operator: ${rule} is ${isStarting ? "" : "not "}waited for`, async () => {
    assert.equal(await operatorIsStarting(placeWith(object)), isStarting);
  });
}

const comingUp = deployment({ ...begun, conditions: progressing("True", "ReplicaSetUpdated") });
const withoutImage = { containerStatuses: [{ state: { waiting: { reason: "ImagePullBackOff" } } }] };

for (const [rule, pod, isStarting] of [
  ["that has no image is not", { metadata: {}, status: withoutImage }, false],
  ["that has no image and leaves is", { metadata: { deletionTimestamp: "now" }, status: withoutImage }, true],
  ["whose image is on its way is", { metadata: {}, status: {} }, true],
] as const) {
  test(`an operator with a pod ${rule} waited for`, async () => {
    assert.equal(await operatorIsStarting(placeWith(comingUp, [pod])), isStarting);
  });
}

test("an operator is followed until it is ready, or until Kubernetes gives up on it", async () => {
  const sight = (object: object) => operatorSight(placeWith(object), VERSION, false);
  assert.equal((await sight(deployment(done))).isOver, true);
  const waits = await sight(deployment({ ...begun, conditions: progressing("True", "ReplicaSetUpdated") }));
  assert.deepEqual([waits.isOver, waits.blocking], [false, []]);
  const givenUp = { ...begun, conditions: progressing("False", "ProgressDeadlineExceeded") };
  const [finding] = (await sight(deployment(givenUp))).blocking;
  assert.deepEqual(
    [finding?.id, finding?.remedy],
    ["OperatorNotReady", "kubectl describe deployment/store-enterprise-operator"],
  );
  assert.match(finding?.evidence ?? "", /operator:8\.2\.0-12.*it says why/);
  const paused = { ...begun, updatedReplicas: 0, conditions: progressing("Unknown", "DeploymentPaused") };
  const held = deployment(paused);
  const [pause] = (await sight({ ...held, spec: { ...Object(held).spec, paused: true } })).blocking;
  assert.deepEqual(
    [pause?.id, pause?.evidence, pause?.remedy],
    [
      "OperatorNotReady",
      "deployment/store-enterprise-operator (operator:8.2.0-12) is paused: no pod of this image is made",
      "kubectl rollout resume deployment/store-enterprise-operator",
    ],
  );
  // what was said of the one before counts no longer
  assert.deepEqual((await sight(deployment({ ...givenUp, observedGeneration: 1 }))).blocking, []);
  assert.deepEqual((await sight(deployment(givenUp, "operator:8.0.6-8"))).blocking, []);
});

const look = { observation: { view: clusterView() }, databases: [] } as unknown as Look; // all that a sight of a cluster uses

test("a cluster that is being deleted, or gone, is followed no longer", async () => {
  await assert.rejects(clusterSight(placeWith(undefined), look, "8.2.0-25.12"), { code: "CLI_NO_CLUSTER" });
  const going = { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } };
  await assert.rejects(clusterSight(placeWith(going), look, "8.2.0-25.12"), { code: "CLI_CLUSTER_GOES" });
});

test("a database whose object refuses the version ends the wait with the finding, once the edit was looked at", async () => {
  const refused: Finding = block("UpgradePolicyMajor", "only major versions", "edit it");
  const findings = [warn("SingleCopy", "one copy", "add one"), refused];
  const redb = (observedGeneration: number) => ({
    metadata: { name: "orders", generation: 3 },
    status: { findings, conditions: [{ type: "Ready", status: "False", observedGeneration }] },
  });
  const bdb = { name: "orders", redis_version: "7.4", status: "active", waiting_for: "" };
  const client = { call: () => Promise.resolve([bdb, { ...bdb, name: "carts", redis_version: "8.2" }]) };
  const databases = [{ metadata: { name: "orders" } }, { metadata: { name: "carts" } }];
  const seen = { observation: { connection: { client } }, databases } as unknown as Look; // all that is used
  const sight = (generation: number) => databasesSight(placeWith(redb(generation)), seen, "8.2");
  assert.deepEqual((await sight(3)).blocking, [refused]);
  assert.deepEqual((await sight(2)).blocking, []);
  bdb.status = "active-change-pending";
  assert.deepEqual((await sight(3)).blocking, [], "what the cluster has taken up is refused no more");
});
