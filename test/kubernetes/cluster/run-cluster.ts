import { join, resolve } from "node:path";
import { Nodes } from "#kit/kube/builtin";
import type { Kube } from "#kit/kube/kube";
import { until } from "#kit/testing/until";
import type { Cluster, ClusterNode, ClusterOptions } from "./cluster.ts";
import type { Launcher } from "../machine/processes.ts";
import { placesOf } from "./addressing.ts";
import { startCenter } from "./center.ts";
import { run } from "./command.ts";
import type { Machine } from "./machine.ts";
import { prepareNode } from "./node.ts";
import { collectImages } from "./images.ts";

const READY_WITHIN_MS = 120_000;

/** Starts the programs of a cluster; `stop` leaves its folder to the caller. */
export async function runCluster(
  { nodes: count, images: archivesOf = [], ...options }: ClusterOptions,
  launcher: Launcher,
  assets: string,
): Promise<Cluster> {
  const places = placesOf(count);
  const archives = [join(assets, "pause.tar"), ...archivesOf.map((path) => resolve(path))];
  const [{ machine: center, controlPlane, startProxy }, images] = await Promise.all([
    startCenter(launcher, assets, places, options),
    collectImages(launcher, assets, archives),
  ]);
  const { identities, kube, kubeconfig } = controlPlane;
  const nodes = await Promise.all(
    places.map((place) => {
      const others = places.filter(({ name }) => name !== place.name);
      return prepareNode({ launcher, assets, identities, center, place, others, images });
    }),
  );
  for (const node of nodes) node.join();
  await untilNodesReady(kube, count, center);
  startProxy();
  const nodeOf = (name: string): ClusterNode => {
    const found = nodes.find((node) => node.name === name);
    if (found === undefined) throw new Error(`there is no ${name}, only ${nodes.map((node) => node.name).join(", ")}`);
    return found;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
    await controlPlane.stop();
    await center.cutPower();
  };
  return {
    controlPlane,
    kubeconfig,
    nodes,
    partition: (name) => nodeOf(name).partition(),
    heal: (name) => nodeOf(name).heal(),
    runInCluster: (command, how) => run([...center.inside, ...command], how),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function untilNodesReady(kube: Kube, count: number, center: Machine): Promise<void> {
  const ready = async (): Promise<boolean> => {
    center.check();
    const { items } = await kube.list(Nodes);
    const conditions = items.flatMap((node) => node.status?.conditions ?? []);
    return conditions.filter(({ type, status }) => type === "Ready" && status === "True").length === count;
  };
  await until(`${count} node(s) are ready`, ready, { withinMs: READY_WITHIN_MS, everyMs: 100 });
}
