import { LABELS } from "../../../src/core/api/names.ts";
import { imageTagOf, repositoryOf } from "../../../src/core/releases/catalogue/images.ts";
import { Clusters } from "../../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Pods, StatefulSets } from "#kit/kube/builtin";
import { loopbackAddress } from "../engines/engine.ts";
import { release } from "../facts/cluster-view.ts";
import { startOperatorWorld, type OperatorWorld } from "./operator-world.ts";
import { simulateAgents, type SimulatedAgents, type SimulatedAgentsOptions } from "./simulated-agents.ts";
import { simulateNodes } from "./simulated-nodes.ts";

/** An operator and its cluster "rec" without engines, at rest. */
export interface SimulatedCluster extends AsyncDisposable {
  readonly world: OperatorWorld;
  readonly agents: SimulatedAgents;
  /** Merges into the spec of the cluster. */
  patch(spec: object): Promise<void>;
  /** Gives the nodes another image tag, as if they had been made by another operator. */
  retag(tag: string): Promise<void>;
  /** Takes its StatefulSet and its pods away, as a user who deletes the StatefulSet does. */
  removeNodes(): Promise<void>;
  /** The tag that the StatefulSet is written with. */
  wantedTag(): Promise<string>;
}

const REF = { name: "rec", namespace: "default" };

/** Starts one of the release `version` on a Kubernetes such as "v1.30.9". */
export async function startSimulatedCluster(
  version: string,
  kubernetesVersion: string,
  more: Pick<SimulatedAgentsOptions, "license" | "modules"> = {},
): Promise<SimulatedCluster> {
  await using stack = new AsyncDisposableStack();
  const stop = new AbortController();
  const world = stack.use(await startOperatorWorld(kubernetesVersion));
  stack.defer(() => {
    stop.abort(new Error("the test ends it"));
  });
  const { kube } = world;
  const addresses = [loopbackAddress(), loopbackAddress(), loopbackAddress()];
  simulateNodes(kube, { namespace: REF.namespace, addresses, signal: stop.signal });
  await world.operate(version);
  await kube.create(Clusters, { metadata: REF, spec: {} });
  const { nodeTag } = release(version);
  const where = { cluster: REF.name, namespace: REF.namespace, addresses, nodeTag, changeMs: 20 };
  const agents = stack.use(await simulateAgents(kube, { ...where, ...more }));
  await world.cluster("it runs", ({ status }) => status?.state === "Running");
  const owned = stack.move();
  return {
    world,
    agents,
    patch: async (spec) => void (await kube.patch(Clusters, REF, { type: "merge", body: { spec } })),
    retag: (tag) => retag(world, tag),
    removeNodes: () => removeNodes(world),
    wantedTag: async () => {
      const set = await kube.get(StatefulSets, REF);
      return imageTagOf(set?.spec?.template.spec?.containers[0]?.image ?? "");
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function removeNodes({ kube }: OperatorWorld): Promise<void> {
  const { namespace } = REF;
  await kube.delete(StatefulSets, REF);
  const labelSelector = `${LABELS.cluster}=${REF.name},${LABELS.role}=node`;
  for (const { metadata } of (await kube.list(Pods, { namespace, labelSelector })).items)
    await kube.delete(Pods, { name: metadata.name, namespace }, { gracePeriodSeconds: 0 });
}

async function retag({ kube }: OperatorWorld, tag: string): Promise<void> {
  const { namespace } = REF;
  const set = await kube.get(StatefulSets, REF);
  const containers = set?.spec?.template.spec?.containers ?? [];
  const renamed = containers.map(({ name, image = "" }) => ({ name, image: `${repositoryOf(image)}:${tag}` }));
  const template = { spec: { containers: renamed } };
  await kube.patch(StatefulSets, REF, { type: "strategic", body: { spec: { template } } });
  const labelSelector = `${LABELS.cluster}=${REF.name},${LABELS.role}=node`;
  for (const { metadata } of (await kube.list(Pods, { namespace, labelSelector })).items) {
    await kube.patch(Pods, { name: metadata.name, namespace }, { type: "strategic", body: { spec: template.spec } });
  }
}
