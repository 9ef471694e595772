import assert from "node:assert/strict";
import { test } from "node:test";
import { release } from "../../../../test/kit/facts/cluster-view.ts";
import { FakeClock } from "#kit/testing/fake-clock";
import { startOperatorWorld } from "../../../../test/kit/operator/operator-world.ts";
import { silentLog } from "#kit/base/log";
import { keyOf } from "#kit/kube/ref";
import { openConnections } from "../../../mechanisms/observe/management/connections.ts";
import { Clusters } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { reviewPermissions } from "../../../mechanisms/observe/permissions/permissions.ts";
import { clusterContexts } from "../context/cluster-context.ts";
import { freshContexts } from "./cluster.ts";

const REC = { name: "rec", namespace: "default" };

test("the cluster context is read once for many databases, and again after a change of it", async () => {
  await using world = await startOperatorWorld();
  const { kube } = world;
  const clock = new FakeClock();
  const contexts = clusterContexts();
  const connections = openConnections(kube, clock);
  const fresh = freshContexts({
    kube,
    clock,
    contexts,
    connections,
    permissions: reviewPermissions(kube, { namespace: REC.namespace, clock, log: silentLog }),
    release: release("8.2.0-12"),
    kubernetesVersion: async () => ({ minor: "1.33", isOpenShift: false }),
  });
  const policy = async (): Promise<string | undefined> => (await fresh(REC)).nearby?.upgradePolicy;
  await kube.create(Clusters, { metadata: REC, spec: { storeUpgradePolicy: "major" } });
  assert.equal(await policy(), "major");
  await kube.patch(Clusters, REC, { type: "merge", body: { spec: { storeUpgradePolicy: "latest" } } });
  assert.equal(await policy(), "major", "the answer of the same moment serves all");
  contexts.set(keyOf(REC), await fresh(REC));
  assert.equal(await policy(), "latest", "news of the cluster came, and it was not asked");
  await connections.close();
});
