import { clusterNames } from "../../../src/core/api/names.ts";
import { Clusters, Databases } from "../../../src/mechanisms/observe/kubernetes/kinds.ts";
import { DEMO } from "../../../src/programs/demo/steps/objects.ts";
import { waitForObject } from "../../../src/programs/demo/steps/wait.ts";
import { Pods, StatefulSets } from "#kit/kube/builtin";
import { storedRecord } from "../../kit/world/chaos.ts";
import type { Scene } from "./scene.ts";

const REC = { namespace: DEMO.namespace, name: DEMO.cluster };
const REDB = { namespace: DEMO.namespace, name: DEMO.database };
const PATIENCE_MS = 120_000;

/** Where the parts of the cluster are at this moment. */
export interface Whereabouts {
  /** Pod of the node that has the primary, and pods of the others. */
  readonly primary: string;
  readonly others: readonly string[];
  /** Worker of a pod. */
  workerOf(pod: string): string;
  /** A worker that none of `pods` is on. */
  workerWithout(...pods: readonly string[]): string;
}

/** Looks where the primary and the node pods are. */
export async function whereabouts(scene: Scene): Promise<Whereabouts> {
  const [shard] = (await storedRecord(scene)).shards;
  const instance = shard?.instances.find(({ id }) => id === shard.primary);
  if (instance === undefined) throw new Error("the database has no primary");
  const primary = clusterNames.nodePod(DEMO.cluster, instance.node);
  const pods = [1, 2, 3].map((uid) => clusterNames.nodePod(DEMO.cluster, uid));
  const workers = new Map<string, string>();
  for (const name of pods) {
    const pod = await scene.stage.kube.get(Pods, { namespace: DEMO.namespace, name });
    workers.set(name, pod?.spec?.nodeName ?? "");
  }
  const workerOf = (pod: string): string => workers.get(pod) ?? "";
  return {
    primary,
    others: pods.filter((pod) => pod !== primary),
    workerOf,
    workerWithout: (...avoided) => {
      const taken = avoided.map(workerOf);
      const found = scene.cluster.nodes.find(({ name }) => !taken.includes(name));
      if (found === undefined) throw new Error(`every worker has one of ${avoided.join(", ")}`);
      return found.name;
    },
  };
}

/** Waits until cluster and database have nothing left to do: every pod in service, every node active, replicas in place. */
export async function settled({ stage }: Scene): Promise<void> {
  await waitForObject(stage, StatefulSets, REC, {
    what: "three pods in service",
    withinMs: PATIENCE_MS,
    isMet: ({ status }) => status?.readyReplicas === 3,
  });
  await waitForObject(stage, Clusters, REC, {
    what: "a cluster that is Running with three active nodes",
    withinMs: PATIENCE_MS,
    isMet: ({ status }) =>
      status?.state === "Running" &&
      status.nodes?.length === 3 &&
      status.nodes.every((node) => node.status === "active"),
  });
  await waitForObject(stage, Databases, REDB, {
    what: "a database that is Ready",
    withinMs: PATIENCE_MS,
    isMet: ({ status }) =>
      status?.status === "active" &&
      (status.conditions ?? []).some((one) => one.type === "Ready" && one.status === "True"),
  });
}
