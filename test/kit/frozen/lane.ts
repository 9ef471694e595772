import { clusterNames, OPERATOR_NAME } from "../../../src/core/api/names.ts";
import type { StoreEnterpriseCluster, StoreEnterpriseDatabase } from "../../../src/core/api/kinds.ts";
import { Clusters, Databases } from "../../../src/mechanisms/observe/kubernetes/kinds.ts";
import { demoCluster } from "../../../src/programs/demo/steps/objects.ts";
import { waitForOperator } from "../../../src/programs/demo/steps/steps.ts";
import { waitForObject, type WaitContext } from "../../../src/programs/demo/steps/wait.ts";
import { Namespaces, Pods } from "#kit/kube/builtin";
import type { Kube, Stored } from "#kit/kube/kube";
import { applyManifest } from "#kit/kube/manifest";
import type { ManagementClient } from "../../../src/ports/management/client.ts";
import { openConnections, type Connections } from "../../../src/mechanisms/observe/management/connections.ts";
import { bundleFor } from "../../../src/core/releases/bundle/bundle.ts";
import type { Release } from "../../../src/core/releases/catalogue/release.ts";
import { commandLine, type CommandLine } from "./command-line.ts";
import type { StoryWorld } from "../world/story-world.ts";

const CLUSTER = "rec";
const PATIENCE_MS = 120_000;

/** A namespace with an operator and a cluster "rec" of their own, which goes through `releases` one after another. */
export interface Lane extends CommandLine {
  readonly kube: Kube;
  readonly namespace: string;
  /** What the cluster runs, and what it is on its way to. */
  from(): Release;
  to(): Release;
  /** Applies the bundle of the next release; its operator leaves the cluster as it is. */
  nextOperator(): Promise<void>;
  /** Applies the bundle of a release again. */
  operator(release: Release): Promise<void>;
  /** Merges into the spec of the cluster. */
  patch(spec: object): Promise<void>;
  cluster(what: string, isMet: (rec: Rec) => boolean): Promise<Rec>;
  database(name: string, what: string, isMet: (redb: Redb) => boolean): Promise<Redb>;
  /** The management API of the cluster. */
  management(): Promise<ManagementClient>;
  /** Ends the operator with SIGKILL. */
  killOperator(): Promise<void>;
  /** How often the operator's container has been started again. */
  restarts(): Promise<number>;
}

export type Rec = Stored<StoreEnterpriseCluster>;
export type Redb = Stored<StoreEnterpriseDatabase>;

/** Opens a lane with everything at the first of `releases`. */
export async function openLane(
  story: StoryWorld,
  namespace: string,
  releases: readonly [Release, ...Release[]],
): Promise<Lane & AsyncDisposable> {
  const { kube } = story.world;
  const watching: WaitContext = story.stage;
  const rec = { name: CLUSTER, namespace };
  await using stack = new AsyncDisposableStack();
  const connections = stack.adopt(openConnections(kube, watching.clock), (open) => open.close());
  let at = 0;
  const place = (index: number): Release => releases[index] ?? releases[0];
  const operator = async (release: Release): Promise<void> => {
    await applyManifest(kube, bundleFor(release), namespace, "test");
    await waitForOperator(watching, namespace, release);
  };
  const cluster: Lane["cluster"] = (what, isMet) =>
    waitForObject(watching, Clusters, rec, { what: `${namespace}: ${what}`, withinMs: PATIENCE_MS, isMet });
  await kube.create(Namespaces, { metadata: { name: namespace } });
  await operator(releases[0]);
  await kube.create(Clusters, { ...demoCluster(releases[0].nodeTag), metadata: rec });
  await cluster("it runs", ({ status }) => status?.state === "Running" && status.nodes?.length === 3);
  const commands = await commandLine(story.world.kubeconfig, namespace);
  const owned = stack.move();
  return {
    kube,
    namespace,
    from: () => place(at - 1),
    to: () => place(at),
    nextOperator: async () => {
      at += 1;
      if (releases[at] === undefined) throw new Error(`${namespace} is at the last of its releases`);
      await operator(place(at));
    },
    operator,
    patch: async (spec) => void (await kube.patch(Clusters, rec, { type: "merge", body: { spec } })),
    cluster,
    database: (name, what, isMet) => {
      const condition = { what: `${namespace}: ${what}`, withinMs: PATIENCE_MS, isMet };
      return waitForObject(watching, Databases, { name, namespace }, condition);
    },
    management: () => managementOf(kube, namespace, connections),
    ...operatorProcesses(story, namespace),
    ...commands,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function managementOf(kube: Kube, namespace: string, connections: Connections): Promise<ManagementClient> {
  const rec = { name: CLUSTER, namespace };
  const connection = await connections.to(rec, clusterNames.credentialsSecret(CLUSTER));
  if (typeof connection === "string") throw new Error(connection);
  const labelSelector = `storeenterprise.io/cluster=${CLUSTER},storeenterprise.io/role=node`;
  const { items } = await kube.list(Pods, { namespace, labelSelector });
  connection.aim(items.map(({ status }) => status?.podIP ?? ""));
  return connection.client;
}

function operatorProcesses(story: StoryWorld, namespace: string): Pick<Lane, "killOperator" | "restarts"> {
  const labelSelector = `name=${OPERATOR_NAME}`;
  const pods = async () => (await story.world.kube.list(Pods, { namespace, labelSelector })).items;
  return {
    killOperator: async () => {
      const names = (await pods()).map(({ metadata }) => metadata.name);
      const found = (await story.processes()).filter(({ pod }) => names.includes(pod));
      if (found.length === 0) throw new Error(`no operator runs in ${namespace}`);
      for (const { pid } of found) process.kill(pid, "SIGKILL");
    },
    restarts: async () =>
      (await pods()).reduce((sum, { status }) => sum + (status?.containerStatuses?.[0]?.restartCount ?? 0), 0),
  };
}
