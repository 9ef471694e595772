import assert from "node:assert/strict";
import { test } from "node:test";
import { startOperatorWorld, type OperatorWorld } from "../../../test/kit/operator/operator-world.ts";
import { until } from "#kit/testing/until";
import { LABELS } from "../../core/api/names.ts";
import { Clusters } from "../../mechanisms/observe/kubernetes/kinds.ts";
import { Pods, RoleBindings, Roles, Secrets, ServiceAccounts, StatefulSets } from "#kit/kube/builtin";
import type { ResourceType } from "#kit/kube/kube";

const VERSION = "8.2.0-12";
const namespace = "default";
const REC = { name: "rec", namespace };

test("a cluster with the name of another one's object is refused, and nothing is written for it", async () => {
  await using world = await startOperatorWorld();
  await world.operate(VERSION);
  await makeCluster(world, "rec", {});
  const kinds: readonly ResourceType[] = [Secrets, Roles, StatefulSets, ServiceAccounts];
  const names = ["rec-ca", "rec-services-rigger", "rec-db-5"];
  for (const name of names) {
    const before = await Promise.all(kinds.map((type) => world.kube.get(type, { name, namespace })));
    await world.kube.create(Clusters, { metadata: { name, namespace }, spec: {} });
    await until(`${name} is refused`, async () =>
      (await findings(world, name)).some(({ id }) => id !== "ObjectNotOurs"),
    );
    assert.deepEqual(await Promise.all(kinds.map((type) => world.kube.get(type, { name, namespace }))), before);
    await world.kube.delete(Clusters, { name, namespace });
    await until("it is gone", async () => (await world.kube.get(Clusters, { name, namespace })) === undefined);
  }
  const rules = (await world.kube.get(Roles, REC))?.rules?.filter(({ resources }) => resources?.includes("secrets"));
  const [first] = rules ?? [];
  assert.ok(rules?.every(({ resourceNames, verbs }) => resourceNames !== undefined || verbs.join() === "create"));
  assert.ok(first !== undefined);
});

test("a new cluster takes no object that was there before, until its owner gives it or takes it away", async () => {
  await using world = await startOperatorWorld();
  const { kube } = world;
  const data = { username: "bWluZQ==", password: "bWluZQ==" };
  await kube.create(Secrets, { metadata: REC, data });
  await kube.create(ServiceAccounts, { metadata: REC });
  await world.operate(VERSION);
  await kube.create(Clusters, { metadata: REC, spec: {} });
  await until("it is refused", async () => (await findings(world, "rec")).some(({ id }) => id === "ObjectNotOurs"));
  const [finding] = await findings(world, "rec");
  assert.match(finding?.evidence ?? "", /ServiceAccount "rec" is there.*; the Secret "rec" is there/);
  const uid = (await kube.get(Clusters, REC))?.metadata.uid ?? "";
  const command = `kubectl annotate serviceaccount/rec secret/rec --overwrite storeenterprise.io/given-to=${uid}`;
  assert.ok(finding?.remedy.endsWith(command), finding?.remedy);
  assert.equal(await kube.get(StatefulSets, REC), undefined);
  assert.deepEqual((await kube.get(ServiceAccounts, REC))?.metadata.ownerReferences, undefined);
  await kube.delete(ServiceAccounts, REC);
  const body = { metadata: { annotations: { "storeenterprise.io/given-to": uid } } };
  await kube.patch(Secrets, REC, { type: "merge", body });
  await until("its nodes are made", async () => (await kube.get(StatefulSets, REC)) !== undefined);
  assert.deepEqual((await kube.get(Secrets, REC))?.data, data);
});

test("the account of the operator, and one that the operator has not made, are taken by no cluster", async () => {
  await using world = await startOperatorWorld();
  const { kube } = world;
  for (const name of ["store-enterprise-operator", "of-an-application"])
    await kube.create(ServiceAccounts, { metadata: { name, namespace } });
  await world.operate(VERSION);
  for (const [serviceAccountName, says] of [
    ["store-enterprise-operator", /is that of the operator/],
    ["of-an-application", /the ServiceAccount "of-an-application" is there, and has no mark/],
  ] as const) {
    await kube.create(Clusters, { metadata: REC, spec: { serviceAccountName } });
    await until(`${serviceAccountName} is refused`, async () =>
      (await findings(world, "rec")).some(({ evidence }) => says.test(evidence)),
    );
    assert.equal(await kube.get(StatefulSets, REC), undefined);
    const { metadata } = (await kube.get(ServiceAccounts, { name: serviceAccountName, namespace })) ?? {};
    assert.deepEqual([metadata?.labels, metadata?.ownerReferences], [undefined, undefined]);
    await kube.delete(Clusters, REC);
    await until("it is gone", async () => (await kube.get(Clusters, REC)) === undefined);
  }
});

test("the former account of the nodes keeps its rights until no pod has it", async () => {
  await using world = await startOperatorWorld();
  const { kube } = world;
  await world.operate(VERSION);
  await makeCluster(world, "rec", {});
  const labels = { [LABELS.cluster]: "rec", [LABELS.role]: "node" };
  const spec = {
    serviceAccountName: "rec",
    containers: [{ name: "store-enterprise-node", image: "storeenterprise/node:8.2.0-25.12" }],
  };
  await kube.create(Pods, { metadata: { name: "rec-0", namespace, labels }, spec });
  await kube.patch(Clusters, REC, { type: "merge", body: { spec: { serviceAccountName: "another" } } });
  const subjects = async () => ((await kube.get(RoleBindings, REC))?.subjects ?? []).map(({ name }) => name);
  await until("both have the rights", async () => (await subjects()).join() === "another,rec");
  const template = async () => (await kube.get(StatefulSets, REC))?.spec?.template.spec?.serviceAccountName;
  await until("the next pods have the other account", async () => (await template()) === "another");
  assert.deepEqual(await subjects(), ["another", "rec"]);
  await kube.delete(Pods, { name: "rec-0", namespace }, { gracePeriodSeconds: 0 });
  await until("the other one alone has them", async () => (await subjects()).join() === "another");
});

test("nodes do not get a login that its owner has not given to their cluster", async () => {
  await using world = await startOperatorWorld();
  const { kube } = world;
  const stringData = { username: "me", password: "word" };
  await kube.create(Secrets, { metadata: { name: "mine", namespace }, stringData });
  await world.operate(VERSION);
  await kube.create(Clusters, { metadata: REC, spec: { clusterCredentialSecretName: "mine" } });
  await until("it is refused", async () => (await findings(world, "rec")).some(({ id }) => id === "SecretNotMarked"));
  const [finding] = await findings(world, "rec");
  assert.equal(finding?.remedy, "kubectl annotate secret mine --overwrite storeenterprise.io/clusters=rec");
  assert.equal(await kube.get(StatefulSets, REC), undefined);
  const body = { metadata: { annotations: { "storeenterprise.io/clusters": "rec" } } };
  await kube.patch(Secrets, { name: "mine", namespace }, { type: "merge", body });
  await until("its nodes are made", async () => (await kube.get(StatefulSets, REC)) !== undefined);
});

test("a StatefulSet that is gone is not made again with a login, or an account, that the cluster may not have", async () => {
  await using world = await startOperatorWorld();
  const { kube } = world;
  await kube.create(Secrets, { metadata: { name: "theirs", namespace }, stringData: { username: "a", password: "b" } });
  await kube.create(ServiceAccounts, { metadata: { name: "theirs", namespace } });
  await world.operate(VERSION);
  await makeCluster(world, "rec", {});
  const labels = { [LABELS.cluster]: "rec", [LABELS.role]: "node" };
  const containers = [{ name: "store-enterprise-node", image: "storeenterprise/node:8.2.0-25.12" }];
  await kube.create(Pods, { metadata: { name: "rec-0", namespace, labels }, spec: { containers } });
  for (const [field, id] of [
    ["clusterCredentialSecretName", "SecretNotMarked"],
    ["serviceAccountName", "ObjectNotOurs"],
  ] as const) {
    const edit = (name: string | null) =>
      kube.patch(Clusters, REC, { type: "merge", body: { spec: { [field]: name } } });
    await edit("theirs");
    await until(`${field} is refused`, async () => (await findings(world, "rec")).some((one) => one.id === id));
    await kube.delete(StatefulSets, REC);
    await until("it waits", async () => (await progress(world))?.reason === id);
    assert.equal(await kube.get(StatefulSets, REC), undefined);
    await edit(null);
    await until("it is made again", async () => (await kube.get(StatefulSets, REC)) !== undefined);
  }
  await world.rest();
  const written = () => world.asked().filter((asked) => asked === "apply statefulsets rec").length;
  const before = written();
  await kube.delete(StatefulSets, REC);
  await kube.delete(Clusters, REC);
  await world.operate(VERSION);
  await until("the cluster is gone", async () => (await kube.get(Clusters, REC)) === undefined);
  assert.equal(await kube.get(Pods, { name: "rec-0", namespace }), undefined);
  assert.equal(written(), before);
});

async function progress({ kube }: OperatorWorld) {
  return (await kube.get(Clusters, REC))?.status?.conditions?.find(({ type }) => type === "Progressing");
}

async function makeCluster({ kube }: OperatorWorld, name: string, spec: object): Promise<void> {
  await kube.create(Clusters, { metadata: { name, namespace }, spec });
  await until(`${name} is made`, async () => (await kube.get(StatefulSets, { name, namespace })) !== undefined);
}

async function findings({ kube }: OperatorWorld, name: string) {
  return (await kube.get(Clusters, { name, namespace }))?.status?.findings ?? [];
}
