import assert from "node:assert/strict";
import { test } from "node:test";
import {
  controlledWorld,
  deployment,
  podImage,
  namespace,
  withKubectl,
  type ControlledWorld,
} from "../../testing/controlled-world.ts";
import { until } from "../../../../controller-kit/src/testing/until.ts";
import * as builtin from "../../../../controller-kit/src/kube/builtin.ts";

async function isRolledOut(world: ControlledWorld, name: string): Promise<boolean> {
  const { metadata, status } = (await world.get(builtin.Deployments, name)) ?? {};
  return (
    status?.observedGeneration === metadata?.generation &&
    status?.updatedReplicas === 3 &&
    status.availableReplicas === 3 &&
    status.replicas === 3
  );
}

test("Deployment: a rollout replaces all pods, keeps enough of them, and counts revisions", withKubectl, async () => {
  await using world = await controlledWorld();
  await world.kube.create(builtin.Deployments, deployment("web"));
  assert.match(await world.kubectl("rollout", "status", "deployment/web"), /successfully rolled out/);
  await world.setImage(builtin.Deployments, "web", "a:2");
  assert.match(await world.kubectl("rollout", "status", "deployment/web"), /successfully rolled out/);
  const now = await world.podsOf("web");
  assert.deepEqual(now.filter((pod) => pod.metadata.deletionTimestamp === undefined).map(podImage), [
    "a:2",
    "a:2",
    "a:2",
  ]);
  assert.match(await world.kubectl("rollout", "history", "deployment/web"), /\n1 .*\n2 /);
  await world.kubectl("rollout", "undo", "deployment/web");
  await until(
    "the first template is back",
    async () =>
      (await isRolledOut(world, "web")) && (await world.podsOf("web")).every((pod) => podImage(pod) === "a:1"),
  );
  assert.match(await world.kubectl("rollout", "history", "deployment/web"), /\n2 .*\n3 /);
  assert.match(await world.kubectl("get", "deployment", "web"), /3\/3 +3 +3/);
});

test("Deployment: a template whose pods never become ready leaves the old ones serving", async () => {
  await using world = await controlledWorld();
  await world.kube.create(builtin.Deployments, deployment("careful"));
  await until("it is rolled out", () => isRolledOut(world, "careful"));
  world.pods.decide((pod) => (podImage(pod) === "broken:1" ? "unready" : "ready"));
  await world.setImage(builtin.Deployments, "careful", "broken:1");
  await until("a new pod has begun", async () =>
    (await world.podsOf("careful")).some((pod) => podImage(pod) === "broken:1"),
  );
  await until(
    "the status says so",
    async () => (await world.get(builtin.Deployments, "careful"))?.status?.unavailableReplicas === 1,
  );
  const { status } = (await world.get(builtin.Deployments, "careful")) ?? {};
  assert.equal(status?.availableReplicas, 3);
  assert.equal(status.conditions?.find(({ type }) => type === "Available")?.status, "True");
  world.pods.decide(() => "ready");
  await until("it goes on", () => isRolledOut(world, "careful"));
});

test("Deployment: Recreate starts no new pod before the last old one is gone", async () => {
  await using world = await controlledWorld();
  await world.kube.create(builtin.Deployments, deployment("strict", { strategy: { type: "Recreate" } }));
  await until("it is rolled out", () => isRolledOut(world, "strict"));
  world.pods.hold(true);
  await world.setImage(builtin.Deployments, "strict", "a:2");
  await until("all are asked to go", async () =>
    (await world.podsOf("strict")).every((pod) => pod.metadata.deletionTimestamp !== undefined),
  );
  await until(
    "the status says so",
    async () => (await world.get(builtin.Deployments, "strict"))?.status?.replicas === 0,
  );
  assert.equal((await world.podsOf("strict")).length, 3);
  world.pods.hold(false);
  await until(
    "the new ones run",
    async () =>
      (await isRolledOut(world, "strict")) && (await world.podsOf("strict")).every((pod) => podImage(pod) === "a:2"),
  );
});

test("Deployment: fewer and more replicas are followed, and a deleted Deployment takes everything along", async () => {
  await using world = await controlledWorld();
  await world.kube.create(builtin.Deployments, deployment("scaled"));
  await until("it is rolled out", () => isRolledOut(world, "scaled"));
  await world.kube.patch(
    builtin.Deployments,
    { name: "scaled", namespace },
    { type: "merge", body: { spec: { replicas: 1 } } },
  );
  await until("one is left", async () => (await world.podsOf("scaled")).length === 1);
  await world.kube.delete(builtin.Deployments, { name: "scaled", namespace }, { propagation: "Foreground" });
  await until("it is gone", async () => (await world.get(builtin.Deployments, "scaled")) === undefined);
  assert.deepEqual(await world.podsOf("scaled"), []);
});
