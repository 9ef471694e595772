import assert from "node:assert/strict";
import type { NetworkPolicyPeer } from "kubernetes-types/networking/v1.js";
import { clusterNames, OPERATOR_NAME, PORTS } from "../../src/core/api/names.ts";
import { SECRETS_AHEAD } from "../../src/core/api/secrets-ahead.ts";
import { Clusters } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { NetworkPolicies, Pods, Roles, SecretVersions } from "#kit/kube/builtin";
import type { Kube } from "#kit/kube/kube";
import { NODE_CAPABILITIES } from "../../src/programs/agent/members/node-report.ts";
import { DEMO } from "../../src/programs/demo/steps/objects.ts";
import { until } from "#kit/testing/until";
import { administrator, isBeforeTls, makesSecrets, managementAs, type Scene } from "./scene.ts";

const { namespace, cluster } = DEMO;
const PATIENCE = { withinMs: 60_000, everyMs: 200 };

/** A user of the management API that the older release has made. */
export const USER = {
  email: "dashboards@example.org",
  name: "dashboards",
  role: "db_viewer",
  password: "at least 8",
} as const;

/** While older nodes are members they read every Secret, their user logs in everywhere, and the network lets through what there is. */
export async function keepOlderRights(scene: Scene): Promise<void> {
  const { world } = scene.play;
  const isComplete = !isBeforeTls(scene);
  assert.equal((await namedSecrets(world.kube)) !== undefined, isComplete);
  assert.equal(await mayMakeSecrets(world.kube), makesSecrets(scene), "it may where it makes them itself");
  await requireLogins(world.kube);
  await requirePolicy(world.kube);
  const client = await administrator(world.kube, 3);
  const nodes = await client.call("nodes");
  await client.close();
  assert.deepEqual(
    nodes.map(({ uid, capabilities = [], memory }) => [uid, capabilities.includes("client-tls"), memory !== undefined]),
    [
      [1, isComplete, isComplete],
      [2, isComplete, isComplete],
      [3, true, true],
    ],
  );
}

/** Nodes read their own Secrets alone, also that of a user whose name no release can foresee; databases that were too many go on. */
export async function requireNewRights(scene: Scene): Promise<void> {
  const { world } = scene.play;
  const client = await administrator(world.kube);
  for (const { uid, capabilities, memory } of await client.call("nodes")) {
    assert.deepEqual(capabilities, NODE_CAPABILITIES, `node ${uid}`);
    assert.ok(memory !== undefined, `node ${uid}`);
  }
  const areMeasured = async (): Promise<boolean> =>
    (await client.call("nodes")).every(({ volume }) => volume !== undefined);
  await until("each node has measured its volume", areMeasured, PATIENCE);
  await client.close();
  await until("the Role names Secrets", async () => (await namedSecrets(world.kube)) !== undefined, PATIENCE);
  await until("nodes may make no Secret", async () => !(await mayMakeSecrets(world.kube)), PATIENCE);
  const { items } = await world.kube.list(SecretVersions, { namespace });
  assert.ok(
    items.filter(({ metadata }) => metadata.name.startsWith(`${cluster}-db-`)).length > SECRETS_AHEAD.databases,
  );
  await requireLogins(world.kube);
  const least = isBeforeTls(scene) ? 1 : 0;
  let found = "";
  const isFound = async (): Promise<boolean> => {
    const { state, findings = [] } = (await world.kube.get(Clusters, { name: cluster, namespace }))?.status ?? {};
    found = JSON.stringify({ state, findings });
    return state === "Running" && findings.length >= least && findings.every(({ id }) => id === "Overcommitted");
  };
  await until("at most too much was given, and that is all", isFound, PATIENCE).catch((error: unknown) => {
    throw new Error(found, { cause: error });
  });
}

/** The Secrets that the Role of the nodes names; undefined: it permits each. */
async function namedSecrets(kube: Kube): Promise<readonly string[] | undefined> {
  const rules = (await kube.get(Roles, { name: cluster, namespace }))?.rules ?? [];
  const reading = rules.filter(({ resources, verbs }) => resources?.includes("secrets") && verbs.includes("get"));
  assert.ok(reading.length > 0, "nodes read Secrets");
  return reading.every(({ resourceNames }) => resourceNames)
    ? reading.flatMap((one) => one.resourceNames ?? [])
    : undefined;
}

async function mayMakeSecrets(kube: Kube): Promise<boolean> {
  const rules = (await kube.get(Roles, { name: cluster, namespace }))?.rules ?? [];
  return rules.some(({ resources, verbs }) => resources?.includes("secrets") && verbs.includes("create"));
}

/** Each node checks the password of the user, which is in a Secret. */
async function requireLogins(kube: Kube): Promise<void> {
  for (const node of [1, 2, 3]) {
    const client = await managementAs(kube, { username: USER.email, password: USER.password }, node);
    assert.equal((await client.call("nodes")).length, 3, `node ${node}`);
    await client.close();
  }
}

/** The policy is for each node, whatever its release, and its pods and the operator reach the management API. */
async function requirePolicy(kube: Kube): Promise<void> {
  const policy = await kube.get(NetworkPolicies, { name: clusterNames.networkPolicy(cluster), namespace });
  const { items } = await kube.list(Pods, { namespace });
  const labels = new Map(items.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  const selected = (wanted: Readonly<Record<string, string>> = {}): readonly string[] =>
    [...labels].flatMap(([name, has]) => (isWithin(wanted, has) ? [name] : []));
  const nodes = selected(policy?.spec?.podSelector.matchLabels);
  assert.deepEqual(
    nodes.toSorted(),
    [1, 2, 3].map((node) => clusterNames.nodePod(cluster, node)),
  );
  const peersOf = (port: number | undefined): readonly NetworkPolicyPeer[] =>
    (policy?.spec?.ingress ?? [])
      .filter(({ ports }) => ports === undefined || ports.some((one) => one.port === port))
      .flatMap(({ from = [] }) => from);
  const names = (port?: number) => peersOf(port).flatMap(({ podSelector }) => selected(podSelector?.matchLabels));
  assert.deepEqual(names().toSorted(), nodes.toSorted(), "nodes reach each port of each other");
  const managers = names(PORTS.management);
  for (const part of [OPERATOR_NAME, clusterNames.rigger(cluster)]) {
    const pods = [...labels.keys()].filter((name) => name.startsWith(`${part}-`));
    assert.ok(pods.length > 0 && pods.every((name) => managers.includes(name)), `${part}: ${managers.join()}`);
  }
}

function isWithin(wanted: Readonly<Record<string, string>>, has: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([label, value]) => has[label] === value);
}
