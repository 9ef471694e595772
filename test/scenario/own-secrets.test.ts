import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { clusterNames, OPERATOR_NAME, PORTS } from "../../src/core/api/names.ts";
import { SECRETS_AHEAD } from "../../src/core/api/secrets-ahead.ts";
import { Fault, isFault } from "#kit/base/fault";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { Clusters } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { ConfigMaps, Deployments, Pods, Roles, Secrets } from "#kit/kube/builtin";
import { loadKubeConfig } from "#kit/kube/config";
import { faults } from "#kit/kube/faults";
import type { Kube } from "#kit/kube/kube";
import { changeObject } from "#kit/kube/records";
import { managementClient, type ManagementClient } from "../../src/ports/management/client.ts";
import { connectAs } from "../kit/kubernetes/permission-scene.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";
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
  const client = stack.adopt(await administrator(kube), (own) => own.close());
  await kube.create(Secrets, { metadata: { name: "foreign", namespace: NAMESPACE }, data: {} });
  await steps<Scene>(
    { kube, node, client },
    {
      "a node's token gets 403 on every foreign Secret, and on the list of them": readAll,
      "a node that names a Secret of another in the record of its cluster gets nothing": askForMore,
      "users are made, changed and removed, and their Secrets go": changeUsers,
      "more users at once than Secrets are there wait for the operator": burst,
      "while the operator is away what it has made is used up, and then requests say so": withoutOperator,
      "a name that another Secret has is passed over, and the cluster says so": passOver,
      "a record that has counted further is followed, and the name of a database is taken back with it": jump,
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
  const ofNodes = names.filter((name) => /^rec-(db|user)-\d+$/.test(name));
  assert.deepEqual(
    names.filter((_, index) => readable[index]),
    ofNodes,
  );
  assert.deepEqual(await filled(kube), ["rec-db-1"]);
  for (const name of ["foreign-2", "rec-db-1000", "rec-user-beef"])
    await assert.rejects(node.create(Secrets, { metadata: { name, namespace: NAMESPACE } }), (error) =>
      isFault(error, faults.forbidden),
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
  assert.deepEqual(await filled(kube), ["rec-db-1", "rec-user-2"]);
  await client.call("deleteUser", { params: { uid: String(uid) } });
  assert.deepEqual(await filled(kube), ["rec-db-1"]);
}

/** More at once than are made ahead: those that find none wait for the operator, or are asked again as their refusal says. */
async function burst({ kube, client }: Scene): Promise<void> {
  const emails = Array.from({ length: 2 * SECRETS_AHEAD.users }, (_, index) => `burst-${index}@example.com`);
  const make = async (email: string): Promise<number> => {
    let uid: number | undefined;
    await until(`${email} is made`, async () => (uid = await created(client, email)) !== undefined, PATIENCE);
    return uid ?? 0;
  };
  const uids = await Promise.all(emails.map(make));
  const secrets = (await filled(kube)).filter((name) => name.startsWith("rec-user-"));
  assert.deepEqual([new Set(uids).size, secrets.length], [emails.length, emails.length]);
  for (const uid of uids) await client.call("deleteUser", { params: { uid: String(uid) } });
  assert.deepEqual(await filled(kube), ["rec-db-1"]);
}

/** What was made ahead is used up; then requests say what is missing, and change nothing. */
async function withoutOperator({ kube, client }: Scene): Promise<void> {
  const deployment = { name: OPERATOR_NAME, namespace: NAMESPACE };
  const scale = (replicas: number) =>
    kube.patch(Deployments, deployment, { type: "merge", body: { spec: { replicas } } });
  const before = await stateOf(kube);
  const isMade = async (): Promise<boolean> =>
    (await namesOf(kube)).includes(`rec-user-${before.nextUserSecret + SECRETS_AHEAD.users - 1}`);
  await until("the operator is ahead", isMade, PATIENCE);
  await scale(0);
  const isAway = async (): Promise<boolean> =>
    (await kube.list(Pods, { namespace: NAMESPACE })).items.every(
      ({ metadata }) => !metadata.name.startsWith(OPERATOR_NAME),
    );
  await until("the operator is away", isAway, PATIENCE);
  const uids: number[] = [];
  for (let index = 0; index < SECRETS_AHEAD.users; index += 1) {
    const uid = await created(client, `away-${index}@example.com`);
    assert.ok(uid !== undefined, String(index));
    uids.push(uid);
  }
  const used = await stateOf(kube);
  assert.equal(await created(client, "too-many@example.com"), undefined);
  assert.deepEqual(await stateOf(kube), used, "something of it was done");
  await scale(1);
  const isThere = async (): Promise<boolean> => {
    const uid = await created(client, "too-many@example.com");
    if (uid !== undefined) uids.push(uid);
    return uid !== undefined;
  };
  await until("it goes on with the operator", isThere, PATIENCE);
  for (const uid of uids) await client.call("deleteUser", { params: { uid: String(uid) } });
}

/** Undefined when no Secret is there for it. */
async function created(client: ManagementClient, email: string): Promise<number | undefined> {
  try {
    return (await client.call("createUser", { body: { ...USER, email } })).uid;
  } catch (error) {
    if (!(error instanceof Fault) || error.details.error_code !== "secret_not_made") throw error;
    assert.equal(error.details.status, 503);
    return undefined;
  }
}

async function stateOf(kube: Kube): Promise<{ readonly nextUserSecret: number; readonly users: number }> {
  const stored = await kube.get(ConfigMaps, { name: "rec-cluster", namespace: NAMESPACE });
  const { nextUserSecret = 1, users = [] } = JSON.parse(stored?.data?.["record"] ?? "{}");
  return { nextUserSecret, users: users.length };
}

async function jump({ kube, client }: Scene): Promise<void> {
  await changeObject(kube, ConfigMaps, { name: "rec-cluster", namespace: NAMESPACE }, (stored) => {
    const record = { ...JSON.parse(stored.data?.["record"] ?? "{}"), nextDatabase: 500 };
    return { ...stored, data: { ...stored.data, record: JSON.stringify(record) } };
  });
  const isMade = async (): Promise<boolean> => (await namesOf(kube)).includes("rec-db-500");
  await until("the operator has followed the number", isMade, PATIENCE);
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

/** Somebody else's Secret has the next name but for what is made ahead. */
async function passOver({ kube, client }: Scene): Promise<void> {
  const { nextUserSecret } = await stateOf(kube);
  const name = `rec-user-${nextUserSecret}`;
  const data = { mine: "bWluZQ==" };
  // the operator makes it again as soon as it is gone
  const isTaken = async (): Promise<boolean> => {
    await kube.delete(Secrets, { name, namespace: NAMESPACE });
    const making = kube.create(Secrets, { metadata: { name, namespace: NAMESPACE }, data });
    return making.then(
      () => true,
      (error: unknown) => {
        if (isFault(error, faults.alreadyExists)) return false;
        throw error;
      },
    );
  };
  await until("the name is taken", isTaken, PATIENCE);
  const findings = async () => (await kube.get(Clusters, REC))?.status?.findings ?? [];
  const isSaid = async (): Promise<boolean> =>
    (await findings()).some(({ id, remedy }) => id === "ObjectNotOurs" && remedy.includes(`delete secret ${name}`));
  await until("the cluster says it", isSaid, PATIENCE);
  const { uid } = await client.call("createUser", { body: USER });
  assert.deepEqual((await kube.get(Secrets, { name, namespace: NAMESPACE }))?.data, data);
  await client.call("deleteUser", { params: { uid: String(uid) } });
  await kube.delete(Secrets, { name, namespace: NAMESPACE });
  await until("the finding is gone", async () => (await findings()).length === 0, PATIENCE);
}

/** Secrets of nodes that hold something. */
async function filled(kube: Kube): Promise<readonly string[]> {
  const { items } = await kube.list(Secrets, { namespace: NAMESPACE });
  return items
    .filter(({ metadata, data = {} }) => /^rec-(db|user)-/.test(metadata.name) && Object.keys(data).length > 0)
    .map(({ metadata }) => metadata.name);
}

async function namesOf(kube: Kube): Promise<readonly string[]> {
  return (await kube.list(Secrets, { namespace: NAMESPACE })).items.map(({ metadata }) => metadata.name);
}

/** A client that waits for what many at once cost. */
async function administrator(kube: Kube): Promise<ManagementClient> {
  const keyOf = async (name: string, key: string): Promise<string> =>
    Buffer.from((await kube.get(Secrets, { name, namespace: NAMESPACE }))?.data?.[key] ?? "", "base64").toString();
  const found = await addresses(kube);
  return managementClient({
    username: await keyOf("rec", "username"),
    password: await keyOf("rec", "password"),
    addresses: () => found,
    port: PORTS.management,
    serverName: clusterNames.dnsName("rec", NAMESPACE),
    ca: await keyOf("rec-node-tls", "ca.crt"),
    timeoutMs: 60_000,
  });
}

async function addresses(kube: Kube): Promise<readonly string[]> {
  const labelSelector = "storeenterprise.io/cluster=rec,storeenterprise.io/role=node";
  const { items } = await kube.list(Pods, { namespace: NAMESPACE, labelSelector });
  return items.flatMap(({ status }) => status?.podIP ?? []);
}
