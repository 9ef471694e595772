import assert from "node:assert/strict";
import { test } from "node:test";
import { OPERATOR_NAME, PORTS } from "../../src/core/api/names.ts";
import { operatorNetworkPolicy } from "../../src/core/releases/bundle/admission.ts";
import { Clusters, RemoteClusters } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Deployments, NetworkPolicies, StatefulSets } from "#kit/kube/builtin";
import { inOwnNetwork } from "../kit/network/own-network.ts";
import { PodNetwork } from "../kit/network/pod-network.ts";
import { policyFilter, type Policy, type PolicyPod } from "../kit/network/policy-filter.ts";
import { startOperatorWorld, type OperatorWorld } from "../kit/operator/operator-world.ts";
import { until } from "#kit/testing/until";

// What the policies of operator and bundle do to packets, by a filter that reads them as a network plugin does.

const NAMESPACE = "default";
const { management, replication, admission, metrics } = PORTS;
const ENDPOINTS = [10_000, 19_999];
const ENGINES = [20_000, 29_999];
const NODE_PORTS = [...ENDPOINTS, ...ENGINES, management, replication, 8_500];
const OPERATOR_PORTS = [admission, metrics, 8_500];

if (inOwnNetwork(import.meta.filename))
  test("pods get connections to the ports that the policies let them have, and to no other", async () => {
    await using world = await startOperatorWorld();
    const { kube } = world;
    await world.operate("8.2.0-12");
    for (const name of ["rec", "other"])
      await kube.create(Clusters, { metadata: { name, namespace: NAMESPACE }, spec: {} });
    await until("both have a policy", async () => (await policiesOf(world)).length === 3, { withinMs: 30_000 });
    using network = new PodNetwork();
    const pods = await podsIn(network, world);
    const [node = "", operator = ""] = [pods[0]?.address, pods[3]?.address];
    const reached = (from: string) => network.reached(from, node, NODE_PORTS);
    const outsiders = ["node of another cluster", "application", "pod elsewhere with the labels of a node"];
    for (const from of outsiders) assert.deepEqual(await reached(from), NODE_PORTS, "without a plugin all is open");

    network.filter(policyFilter(await policiesOf(world), pods));
    assert.deepEqual(await reached("another node"), NODE_PORTS);
    for (const from of ["rigger", "operator"]) assert.deepEqual(await reached(from), [...ENDPOINTS, management], from);
    for (const from of outsiders) assert.deepEqual(await reached(from), ENDPOINTS, from);
    assert.deepEqual(await network.reached("application", operator, OPERATOR_PORTS), [admission, metrics]);

    const site = { recName: "rec", recNamespace: NAMESPACE, apiFqdnUrl: "api.there" };
    await kube.create(RemoteClusters, { metadata: { name: "there", namespace: NAMESPACE }, spec: site });
    const isOpened = async (): Promise<boolean> => {
      const found = (await policiesOf(world)).filter(({ spec }) => spec?.ingress?.length === 4);
      return found.length === 2;
    };
    await until("sites elsewhere are let in", isOpened, { withinMs: 30_000 });
    network.filter(policyFilter(await policiesOf(world), pods));
    for (const from of outsiders) assert.deepEqual(await reached(from), [...ENDPOINTS, management, replication], from);
  });

/** Of the operator for its clusters, and of the bundle. */
async function policiesOf({ kube }: OperatorWorld): Promise<readonly Policy[]> {
  const bundled = operatorNetworkPolicy();
  const ofBundle = { ...bundled, metadata: { ...bundled.metadata, namespace: NAMESPACE } };
  return [...(await kube.list(NetworkPolicies, { namespace: NAMESPACE })).items, ofBundle];
}

/** With the labels that pods of the workloads get. */
async function podsIn(network: PodNetwork, { kube }: OperatorWorld): Promise<readonly PolicyPod[]> {
  const ofNodes = async (name: string) =>
    (await kube.get(StatefulSets, { name, namespace: NAMESPACE }))?.spec?.template.metadata?.labels ?? {};
  const rigger = await kube.get(Deployments, { name: "rec-services-rigger", namespace: NAMESPACE });
  const of = async (name: string, labels: PolicyPod["labels"], ports: readonly number[], namespace = NAMESPACE) => ({
    namespace,
    labels,
    address: await network.add(name, ports),
  });
  return [
    await of("node", await ofNodes("rec"), NODE_PORTS),
    await of("another node", await ofNodes("rec"), []),
    await of("rigger", rigger?.spec?.template.metadata?.labels ?? {}, []),
    await of("operator", { name: OPERATOR_NAME }, OPERATOR_PORTS),
    await of("node of another cluster", await ofNodes("other"), []),
    await of("application", { app: "shop" }, []),
    await of("pod elsewhere with the labels of a node", await ofNodes("rec"), [], "elsewhere"),
  ];
}
