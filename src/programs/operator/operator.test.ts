import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { deployOperator } from "../../../test/kit/operator/operator-deployment.ts";
import { startOperatorWorld } from "../../../test/kit/operator/operator-world.ts";
import { until } from "#kit/testing/until";
import {
  Deployments,
  Events,
  Leases,
  NetworkPolicies,
  PodDisruptionBudgets,
  Roles,
  Secrets,
  Services,
  StatefulSets,
} from "#kit/kube/builtin";
import type { ResourceType } from "#kit/kube/kube";
import { Clusters, RemoteClusters } from "../../mechanisms/observe/kubernetes/kinds.ts";

const REF = { name: "rec", namespace: "default" };

test("a new cluster gets its secrets, services, accounts, nodes and rigger", async () => {
  await using world = await startOperatorWorld();
  const { kube } = world;
  await world.operate("8.2.0-12");
  await kube.create(Clusters, { metadata: REF, spec: {} });
  const rec = await world.cluster("first pods awaited", ({ status }) => status?.state === "BootstrappingFirstPod");
  assert.equal(rec.status?.specStatus, "Valid");
  assert.deepEqual(rec.metadata.finalizers, ["redbfinalizer.storeenterpriseclusters.app.storeenterprise.io"]);

  const credentials = await kube.get(Secrets, REF);
  assert.ok(credentials?.data?.["password"]);
  const tls = await kube.get(Secrets, { name: "rec-node-tls", namespace: "default" });
  assert.deepEqual(Object.keys(tls?.data ?? {}).toSorted(), [
    "access.json",
    "ca.crt",
    "engine.crt",
    "engine.key",
    "tls.crt",
    "tls.key",
  ]);
  assert.equal((await kube.get(Services, REF))?.spec?.clusterIP, "None");
  assert.ok(await kube.get(Roles, { name: "rec-services-rigger", namespace: "default" }));
  assert.ok(await kube.get(PodDisruptionBudgets, REF));
  const rigger = await kube.get(Deployments, { name: "rec-services-rigger", namespace: "default" });
  assert.equal(rigger?.spec?.template.spec?.containers[0]?.image, "storeenterprise/services-rigger:8.2.0-12");

  const nodes = await kube.get(StatefulSets, REF);
  assert.equal(nodes?.spec?.template.spec?.containers[0]?.image, "storeenterprise/node:8.2.0-25.12");
  assert.equal(nodes?.spec?.replicas, 3);
  assert.equal(nodes?.spec?.template.spec?.terminationGracePeriodSeconds, 31_536_000);
  assert.equal(nodes?.metadata.ownerReferences?.[0]?.uid, rec.metadata.uid);
});

test("only the cluster and its operator reach engines and management API, unless the spec or a remote cluster says otherwise", async () => {
  await using world = await startOperatorWorld();
  const { kube } = world;
  await world.operate("8.2.0-12");
  await kube.create(Clusters, { metadata: REF, spec: {} });
  const policy = async () => (await kube.get(NetworkPolicies, REF))?.spec;
  await until("the policy is there", async () => (await policy()) !== undefined);
  const own = { app: "store-enterprise", "storeenterprise.io/cluster": "rec" };
  const ofRole = (role: string) => ({
    podSelector: { matchLabels: { ...own, "storeenterprise.io/role": role } },
  });
  const ports = [{ protocol: "TCP", port: 9443 }];
  const links = { ports: [{ protocol: "TCP", port: 9444 }] };
  const operator = {
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "default" } },
    podSelector: { matchLabels: { name: "store-enterprise-operator" } },
  };
  const toAll = { ports: [{ protocol: "TCP", port: 10_000, endPort: 19_999 }] };
  const toNodes = { from: [ofRole("node")] };
  assert.deepEqual(await policy(), {
    ...ofRole("node"),
    policyTypes: ["Ingress"],
    ingress: [toAll, toNodes, { ports, from: [ofRole("services-rigger"), operator] }],
  });
  // the pods of a roll, of whatever release, are selected by what never changes of them
  const selector = async () => (await kube.get(StatefulSets, REF))?.spec?.selector.matchLabels;
  await until("the nodes are there", async () => (await selector()) !== undefined);
  assert.deepEqual(await selector(), (await policy())?.podSelector?.matchLabels);

  const site = { recName: "rec", recNamespace: "default", apiFqdnUrl: "api.there" };
  await kube.create(RemoteClusters, { metadata: { name: "there", namespace: "default" }, spec: site });
  await until("others are let in", async () =>
    isDeepStrictEqual((await policy())?.ingress?.slice(2), [{ ports }, links]),
  );
  await kube.delete(RemoteClusters, { name: "there", namespace: "default" });
  await until("others are kept out again", async () => (await policy())?.ingress?.[2]?.from?.length === 2);

  const enabled = (is: boolean) => ({ type: "merge", body: { spec: { networkPolicy: { enabled: is } } } }) as const;
  await kube.patch(Clusters, REF, enabled(false));
  await until("the policy is gone", async () => (await policy()) === undefined);
  await kube.patch(Clusters, REF, enabled(true));
  await until("the policy is back", async () => (await policy()) !== undefined);
});

test("what the operator makes for itself belongs to its Deployment, so that it goes with the bundle", async () => {
  await using world = await startOperatorWorld();
  const { kube, namespace } = world;
  const own = await deployOperator(kube, namespace);
  const { name } = own.metadata;
  // an operator of a release that did not say whose its Lease is
  await kube.create(Leases, { metadata: { name, namespace }, spec: {} });
  await world.operate("8.2.0-12");
  const ownersOf = async <T>(type: ResourceType<T>, of: string): Promise<unknown> =>
    (await kube.get(type, { name: of, namespace }))?.metadata.ownerReferences?.map(({ uid }) => uid);
  await until("the Secret is its own", async () => (await ownersOf(Secrets, "admission-tls")) !== undefined);
  await until("the Lease is its own", async () => (await ownersOf(Leases, name)) !== undefined);
  assert.deepEqual(await ownersOf(Secrets, "admission-tls"), [own.metadata.uid]);
  assert.deepEqual(await ownersOf(Leases, name), [own.metadata.uid]);
});

test("a wrong tag is InvalidUpgrade with the right one in its message, and the upgrade goes on once it is corrected", async () => {
  await using world = await startOperatorWorld();
  const { kube } = world;
  await world.operate("8.2.0-12");
  await kube.create(Clusters, {
    metadata: REF,
    spec: { storeEnterpriseImageSpec: { versionTag: "8.2.0-99" } },
  });
  const rec = await world.cluster("the tag refused", ({ status }) => status?.state === "InvalidUpgrade");
  const blocked = rec.status?.conditions?.find(({ type }) => type === "UpgradeBlocked");
  assert.equal(blocked?.reason, "UnknownImageTag");
  assert.match(blocked?.message ?? "", /8\.2\.0-25\.12/);
  assert.equal(await kube.get(StatefulSets, REF), undefined);
  await kube.patch(Clusters, REF, {
    type: "merge",
    body: { spec: { storeEnterpriseImageSpec: { versionTag: "8.2.0-25.12" } } },
  });
  await world.cluster("the nodes made", ({ status }) => status?.state === "BootstrappingFirstPod");
  await world.rest();
  const reasons = (await kube.list(Events, { namespace: "default" })).items.map(({ reason }) => reason);
  assert.ok(reasons.includes("UnknownImageTag") && reasons.includes("UpgradeUnblocked"), reasons.join(", "));
});

test("a new operator leaves the nodes of an older release alone and suspends management", async () => {
  await using world = await startOperatorWorld();
  const { kube } = world;
  await world.operate("8.0.6-8");
  await kube.create(Clusters, { metadata: REF, spec: {} });
  await world.cluster("nodes awaited", ({ status }) => status?.state === "BootstrappingFirstPod");
  await world.operate("8.2.0-12");
  const suspended = await world.cluster("management suspended", ({ status }) =>
    (status?.conditions ?? []).some(({ type, status: holds }) => type === "ReconcileSuspended" && holds === "True"),
  );
  assert.match(
    suspended.status?.conditions?.find(({ type }) => type === "ReconcileSuspended")?.message ?? "",
    /8\.2\.0-25\.12/,
  );
  const nodes = await kube.get(StatefulSets, REF);
  assert.equal(nodes?.spec?.template.spec?.containers[0]?.image, "storeenterprise/node:8.0.6-54");
});

test("bad input is refused by the API with the name of the field", async () => {
  await using world = await startOperatorWorld();
  await assert.rejects(world.kube.create(Clusters, { metadata: REF, spec: { nodes: 0 } }), /spec\.nodes/);
});
