import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { isFault } from "../../src/core/base/fault.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { openConnections } from "../../src/mechanisms/observe/management/connections.ts";
import { systemClock } from "../../src/mechanisms/reconcile/system-clock.ts";
import { ConfigMaps, Pods, Roles, Secrets } from "../../src/ports/kube/builtin.ts";
import { loadKubeConfig } from "../../src/ports/kube/config.ts";
import { faults } from "../../src/ports/kube/faults.ts";
import type { Kube } from "../../src/ports/kube/kube.ts";
import { changeObject } from "../../src/ports/kube/records.ts";
import type { ManagementClient } from "../../src/ports/management/client.ts";
import { connectAs } from "../kit/kubernetes/permission-scene.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "../kit/time/until.ts";
import { PATIENCE, startStorectlWorld } from "../kit/world/storectl-world.ts";

const NAMESPACE = "default";
const REC = { name: "rec", namespace: NAMESPACE };
const USER = { email: "reader@example.com", password: "first-password", role: "db_viewer" } as const;

interface Scene {
  readonly kube: Kube;
  /** With the rights of a node. */
  readonly node: Kube;
  readonly client: ManagementClient;
}

test("nodes read the Secrets that they have made, and no other", async () => {
  await using stack = new AsyncDisposableStack();
  const { kube, dir } = stack.use(await startStorectlWorld(latestRelease()));
  const config = loadKubeConfig({ KUBECONFIG: join(dir, "kubeconfig") });
  const node = stack.adopt(await connectAs({ kube, config }, NAMESPACE, "rec"), (own) => own.close());
  const connections = stack.adopt(openConnections(kube, systemClock), (all) => all.close());
  const connection = await connections.to(REC, "rec");
  assert.ok(typeof connection !== "string", String(connection));
  connection.aim(await addresses(kube));
  await kube.create(Secrets, { metadata: { name: "foreign", namespace: NAMESPACE }, data: {} });
  await steps<Scene>(
    { kube, node, client: connection.client },
    {
      "a node's token gets 403 on every foreign Secret, and on the list of them": readAll,
      "a node that names a Secret of another in the record of its cluster gets nothing": askForMore,
      "users are made, changed and removed, and their Secrets go": changeUsers,
      "a database whose number was not foreseen is made all the same, and its name is taken back with it": jump,
    },
  );
});

async function readAll({ kube, node }: Scene): Promise<void> {
  const mayRead = async (name: string): Promise<boolean> =>
    node.get(Secrets, { name, namespace: NAMESPACE }).then(
      () => true,
      (error: unknown) => {
        if (isFault(error, faults.forbidden)) return false;
        throw error;
      },
    );
  await until("the Role names Secrets", async () => !(await mayRead("foreign")), PATIENCE);
  const names = (await kube.list(Secrets, { namespace: NAMESPACE })).items.map(({ metadata }) => metadata.name);
  for (const name of ["rec", "rec-ca", "rec-node-tls", "redb-orders", "admission-tls", "rec-db-1"])
    assert.ok(names.includes(name), name);
  const readable = await Promise.all(names.map(mayRead));
  assert.deepEqual(
    names.filter((_, index) => readable[index]),
    ["rec-db-1"],
  );
  await assert.rejects(node.list(Secrets, { namespace: NAMESPACE }), (error) => isFault(error, faults.forbidden));
  const patch = node.patch(Secrets, { name: "foreign", namespace: NAMESPACE }, { type: "merge", body: { data: {} } });
  await assert.rejects(patch, (error) => isFault(error, faults.forbidden));
}

async function askForMore({ kube, node }: Scene): Promise<void> {
  const foreign = ["rec-ca", "admission-tls", "redb-orders", "foreign"];
  await changeObject(node, ConfigMaps, { name: "rec-cluster", namespace: NAMESPACE }, (stored) => {
    const record = JSON.parse(stored.data?.["record"] ?? "{}");
    const users = [...foreign, "rec-user-beef"].map((secret, index) => {
      return { uid: 900 + index, email: `x${index}@example.com`, name: "x", role: "none", secret };
    });
    return { ...stored, data: { ...stored.data, record: JSON.stringify({ ...record, users }) } };
  });
  const granted = async () => ((await kube.get(Roles, REC))?.rules ?? []).flatMap((rule) => rule.resourceNames ?? []);
  await until("the operator has read the record", async () => (await granted()).includes("rec-user-beef"), PATIENCE);
  const names = await granted();
  assert.deepEqual(
    foreign.filter((name) => names.includes(name)),
    [],
  );
  await changeObject(kube, ConfigMaps, { name: "rec-cluster", namespace: NAMESPACE }, (stored) => {
    const record = { ...JSON.parse(stored.data?.["record"] ?? "{}"), users: [] };
    return { ...stored, data: { ...stored.data, record: JSON.stringify(record) } };
  });
}

async function changeUsers({ kube, client }: Scene): Promise<void> {
  const { uid } = await client.call("createUser", { body: USER });
  await client.call("updateUser", { params: { uid: String(uid) }, body: { password: "second-password" } });
  assert.deepEqual(await userSecrets(kube), ["rec-user-2"]);
  await client.call("deleteUser", { params: { uid: String(uid) } });
  assert.deepEqual(await userSecrets(kube), []);
}

async function jump({ kube, client }: Scene): Promise<void> {
  await changeObject(kube, ConfigMaps, { name: "rec-cluster", namespace: NAMESPACE }, (stored) => {
    const record = { ...JSON.parse(stored.data?.["record"] ?? "{}"), nextDatabase: 500 };
    return { ...stored, data: { ...stored.data, record: JSON.stringify(record) } };
  });
  const { uid } = await client.call("createBdb", { body: { name: "far", memory_size: 100_000_000 } });
  const isNamed = async (name: string): Promise<boolean> =>
    ((await kube.get(Roles, REC))?.rules ?? []).some(({ resourceNames }) => resourceNames?.includes(name));
  const name = `rec-db-${uid}`;
  assert.ok(uid >= 500 && (await isNamed(name)), name);
  const isActive = async () => (await client.call("bdb", { params: { uid } })).status === "active";
  await until("the database is active", isActive, PATIENCE);
  await client.call("deleteBdb", { params: { uid } });
  await until("its Secret is gone", async () => !(await namesOf(kube)).includes(name), PATIENCE);
  await until("the Role names it no longer", async () => !(await isNamed(name)), PATIENCE);
}

async function userSecrets(kube: Kube): Promise<readonly string[]> {
  return (await namesOf(kube)).filter((name) => name.startsWith("rec-user-"));
}

async function namesOf(kube: Kube): Promise<readonly string[]> {
  return (await kube.list(Secrets, { namespace: NAMESPACE })).items.map(({ metadata }) => metadata.name);
}

async function addresses(kube: Kube): Promise<readonly string[]> {
  const labelSelector = "storeenterprise.io/cluster=rec,storeenterprise.io/role=node";
  const { items } = await kube.list(Pods, { namespace: NAMESPACE, labelSelector });
  return items.flatMap(({ status }) => status?.podIP ?? []);
}
