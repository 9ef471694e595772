import assert from "node:assert/strict";
import { test } from "node:test";
import { startOperatorWorld, type OperatorWorld } from "../../../test/kit/operator/operator-world.ts";
import { until } from "#kit/testing/until";
import { LABELS } from "../../core/api/names.ts";
import { Fault } from "#kit/base/fault";
import { Clusters } from "../../mechanisms/observe/kubernetes/kinds.ts";
import { ConfigMaps, Roles, Secrets, StatefulSets } from "#kit/kube/builtin";
import { faults } from "#kit/kube/faults";
import type { Kube, ResourceType } from "#kit/kube/kube";

const VERSION = "8.2.0-12";
const namespace = "default";
const REC = { name: "rec", namespace };
const PATIENCE = { withinMs: 60_000, everyMs: 50 };

test("a new cluster begins with Secrets for its first databases and users, and its nodes may make none", async () => {
  await using world = await startOperatorWorld();
  await world.operate(VERSION);
  const { uid } = await world.kube.create(Clusters, { metadata: REC, spec: {} }).then(({ metadata }) => metadata);
  await until("its nodes are made", async () => (await world.kube.get(StatefulSets, REC)) !== undefined, PATIENCE);
  const names = await ofNodes(world);
  assert.deepEqual([names.length, names.includes("rec-db-16"), names.includes("rec-user-8")], [24, true, true]);
  const { data, metadata } = (await world.kube.get(Secrets, { name: "rec-db-1", namespace })) ?? {};
  assert.deepEqual(
    [data, metadata?.labels?.[LABELS.cluster], metadata?.ownerReferences?.map((owner) => owner.uid)],
    [undefined, "rec", [uid]],
  );
  const rules = (await world.kube.get(Roles, REC))?.rules?.filter(({ resources }) => resources?.includes("secrets"));
  assert.deepEqual(
    rules?.map(({ verbs, resourceNames = [] }) => [verbs, resourceNames.toSorted()]),
    [[["get", "patch", "delete"], names.toSorted()]],
  );
});

test("Secrets follow the numbers of the record, also where an operator begins anew and where one was deleted", async () => {
  await using world = await startOperatorWorld();
  await world.operate(VERSION);
  await world.kube.create(Clusters, { metadata: REC, spec: {} });
  await until("the first are there", async () => (await ofNodes(world)).includes("rec-user-8"), PATIENCE);
  await world.kube.create(ConfigMaps, recordWith(5));
  await until("they move on", async () => (await ofNodes(world)).includes("rec-db-20"), PATIENCE);
  await world.kube.delete(Secrets, { name: "rec-db-7", namespace });
  await until("it is made again", async () => (await ofNodes(world)).includes("rec-db-7"), PATIENCE);
  await world.rest();
  const filled = { type: "merge", body: { data: { password: "eA==" }, metadata: { ownerReferences: null } } } as const;
  await world.kube.patch(Secrets, { name: "rec-db-5", namespace }, filled);
  await world.kube.delete(Secrets, { name: "rec-db-6", namespace });
  await world.operate(VERSION);
  await until("another operator makes it", async () => (await ofNodes(world)).includes("rec-db-6"), PATIENCE);
  assert.deepEqual((await world.kube.get(Secrets, { name: "rec-db-5", namespace }))?.data, { password: "eA==" });
  assert.equal((await ofNodes(world)).includes("rec-db-21"), false);
});

test("a Secret of another owner keeps its name: the cluster says so, and its nodes may not read it", async () => {
  await using world = await startOperatorWorld();
  const [name, data] = ["rec-db-2", { mine: "bWluZQ==" }];
  await world.kube.create(Secrets, { metadata: { name, namespace }, data });
  await world.operate(VERSION);
  await world.kube.create(Clusters, { metadata: REC, spec: {} });
  const findings = async () => (await world.kube.get(Clusters, REC))?.status?.findings ?? [];
  const said = async () => (await findings()).find(({ id }) => id === "ObjectNotOurs");
  await until("the cluster says so", async () => (await said()) !== undefined, PATIENCE);
  const { severity, evidence, remedy } = (await said()) ?? {};
  assert.equal(severity, "warn");
  assert.match(evidence ?? "", /^the Secret "rec-db-2" is there, and has no mark of this cluster/);
  assert.match(remedy ?? "", /: kubectl delete secret rec-db-2$/);
  const granted = ((await world.kube.get(Roles, REC))?.rules ?? []).flatMap((rule) => rule.resourceNames ?? []);
  assert.deepEqual([granted.includes("rec-db-1"), granted.includes(name)], [true, false]);
  assert.deepEqual((await world.kube.get(Secrets, { name, namespace }))?.data, data);
  await world.kube.delete(Secrets, { name, namespace });
  await until("the name is free", async () => (await said()) === undefined, PATIENCE);
  await until("it is made for the cluster", async () => (await ofNodes(world)).includes(name), PATIENCE);
});

test("a quota that lets no Secret be made keeps no cluster from its nodes, and the cluster says so", async () => {
  await using world = await startOperatorWorld();
  await world.operate(VERSION, (kube) => ({ ...kube, create: (type, object) => refusing(kube, type, object) }));
  await world.kube.create(Clusters, { metadata: REC, spec: {} });
  await until("its nodes are made", async () => (await world.kube.get(StatefulSets, REC)) !== undefined, PATIENCE);
  const findings = async () => (await world.kube.get(Clusters, REC))?.status?.findings ?? [];
  const isSaid = async (): Promise<boolean> =>
    (await findings()).some(({ severity, evidence }) => severity === "warn" && evidence.includes("exceeded quota"));
  await until("the cluster says so", isSaid, PATIENCE);
  assert.deepEqual(await ofNodes(world), []);
});

test("a node that counts on and on gets a bounded number of Secrets, and the cluster says so until they are gone", async () => {
  await using world = await startOperatorWorld();
  await world.operate(VERSION);
  await world.kube.create(Clusters, { metadata: REC, spec: {} });
  await until("the first are there", async () => (await ofNodes(world)).includes("rec-user-8"), PATIENCE);
  await world.kube.create(ConfigMaps, recordWith(1));
  const said = async () =>
    (await world.kube.get(Clusters, REC))?.status?.findings?.find(({ id }) => id === "SecretsPassedOver");
  for (let next = 101; (await said()) === undefined; next += 100) {
    assert.ok(next < 1_000, `${(await ofNodes(world)).length} Secrets`);
    await world.kube.patch(ConfigMaps, RECORD, { type: "merge", body: { data: recordWith(next).data } });
    const isFollowed = async (): Promise<boolean> =>
      (await said()) !== undefined || (await ofNodes(world)).includes(`rec-db-${next + 15}`);
    await until("they follow, or it is said", isFollowed, PATIENCE);
  }
  assert.ok((await ofNodes(world)).length <= 48 + 24 + 16, "no more are made");
  const names = /kubectl delete secret (.*)$/.exec((await said())?.remedy ?? "")?.[1]?.split(" ") ?? [];
  for (const name of names) await world.kube.delete(Secrets, { name, namespace });
  await until("they are gone", async () => (await said()) === undefined, PATIENCE);
  await until("more are made", async () => (await ofNodes(world)).length === 24, PATIENCE);
});

function refusing<T>(kube: Kube, type: ResourceType<T>, object: Parameters<typeof kube.create<T>>[1]) {
  if (type.plural !== Secrets.plural || !object.metadata.name.startsWith("rec-db-")) return kube.create(type, object);
  return Promise.reject(new Fault(faults.forbidden, "exceeded quota: secrets"));
}

async function ofNodes({ kube }: OperatorWorld): Promise<readonly string[]> {
  const { items } = await kube.list(Secrets, { namespace });
  return items.map(({ metadata }) => metadata.name).filter((name) => /^rec-(db|user)-/.test(name));
}

const RECORD = { name: "rec-cluster", namespace };

function recordWith(nextDatabase: number) {
  const record = JSON.stringify({ createdTime: "t", nextDatabase, maintenance: [], finished: [] });
  const labels = { [LABELS.cluster]: "rec", [LABELS.record]: "cluster" };
  return { metadata: { name: "rec-cluster", namespace, labels }, data: { record } };
}
