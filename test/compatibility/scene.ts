import assert from "node:assert/strict";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildRelease, type BuiltRelease } from "../../scripts/releases/build.ts";
import type { KeptRelease } from "../../scripts/releases/history.ts";
import { clusterNames, PORTS } from "../../src/core/api/names.ts";
import { compareVersionText } from "#kit/base/version";
import { Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Pods, Secrets } from "#kit/kube/builtin";
import type { Kube } from "#kit/kube/kube";
import { managementClient, type ManagementClient } from "../../src/ports/management/client.ts";
import { startLoadProcess, type LoadProcess } from "../../src/programs/demo/load/load-process.ts";
import { findEndpoint } from "../../src/programs/demo/scenario.ts";
import type { ScenarioContext } from "../../src/programs/demo/steps/steps.ts";
import { DEMO } from "../../src/programs/demo/steps/objects.ts";
import { helmWay, type Way } from "./helm.ts";
import { startStoryWorld, type StoryWorld } from "../kit/world/story-world.ts";
import { until } from "#kit/testing/until";

/** A world in which a kept release runs with clusters, databases and clients, and is upgraded to this checkout. */
export interface Scene extends AsyncDisposable {
  readonly from: BuiltRelease;
  readonly play: StoryWorld;
  /** Instead of bundles. */
  readonly way: Way | undefined;
  /** Of each database, once its clients have begun. */
  readonly loads: Map<string, LoadProcess>;
}

const { namespace, cluster } = DEMO;

/** Beside the one of the demo: without a replica, kept on disk, with settings of its own. */
export const SINGLE = {
  metadata: { name: "events", namespace },
  spec: {
    storeEnterpriseCluster: { name: cluster },
    memorySize: "200MB",
    persistence: "aofEverySecond",
    evictionPolicy: "allkeys-lru",
    storeVersion: "7.2",
  },
} as const;

/** Starts an empty world that knows the images of the release; operators come by Helm when one is given. */
export async function openScene(kept: KeptRelease, helm?: string): Promise<Scene> {
  await using stack = new AsyncDisposableStack();
  const from = await buildRelease(kept);
  const play = stack.use(await startStoryWorld({ from }));
  const loads = stack.adopt(new Map<string, LoadProcess>(), (all) => {
    for (const load of all.values()) load.kill();
  });
  const { path: folder } = stack.use(await mkdtempDisposable(join(tmpdir(), "helm-")));
  const way = helm === undefined ? undefined : await helmWay(helm, from, { ...play.world, folder });
  const owned = stack.move();
  return { from, play, way, loads, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Nodes before 0.4.0 speak no TLS, let no reply wait, report no memory, and may read every Secret. */
export function isBeforeTls({ from }: Scene): boolean {
  return isBefore(from, "0.4.0");
}

/** A node before 0.5.0 that leads makes the Secrets of databases and users itself. */
export function makesSecrets({ from }: Scene): boolean {
  return isBefore(from, "0.5.0");
}

function isBefore({ version }: Scene["from"], other: string): boolean {
  return (compareVersionText(version, other) ?? 0) < 0;
}

/** What the second database is given later: more than nodes offer where no node measures it. */
export function laterMemory(scene: Scene): { readonly text: string; readonly bytes: number } {
  return isBeforeTls(scene) ? { text: "900MB", bytes: 900_000_000 } : { text: "400MB", bytes: 400_000_000 };
}

/** The stage on which a bundle is applied, or Helm takes its place. */
export function stageFor({ play: { stage }, way }: Scene, act: keyof Way): ScenarioContext {
  return way === undefined ? stage : { ...stage, apply: way[act] };
}

/** Resolves when the second database is served at a version. */
export async function awaitSingle(kube: Kube, version: string): Promise<void> {
  const isServed = async (): Promise<boolean> => {
    const { metadata, status } = (await kube.get(Databases, SINGLE.metadata)) ?? {};
    const isSeen = status?.observedGeneration === metadata?.generation;
    return isSeen && status?.status === "active" && (status.version ?? "").startsWith(version);
  };
  await until(`database ${SINGLE.metadata.name} is active at ${version}`, isServed, {
    withinMs: 120_000,
    everyMs: 200,
  });
}

/** Clients write, count and read in the databases from now on. */
export async function startLoads({ play, loads }: Scene, databases: readonly string[]): Promise<void> {
  for (const name of databases) {
    const options = { ...(await findEndpoint(play.stage, name)), connections: 10, gapMs: 20 };
    loads.set(name, await startLoadProcess(options));
  }
}

/** Ends the clients: every request succeeded, and everything that was acknowledged is there. */
export async function finishLoads({ loads }: Scene): Promise<void> {
  for (const [name, load] of loads) {
    const { phases, ledger, failures } = await load.finish();
    const { lostWrites: lost, incrementDrift: drift, staleReads: stale, acknowledgedWrites } = ledger;
    const failed = phases.reduce((sum, phase) => sum + phase.failed, 0);
    assert.deepEqual(
      { failed, lost, drift, stale, failures },
      { failed: 0, lost: 0, drift: 0, stale: 0, failures: [] },
      name,
    );
    assert.ok(acknowledgedWrites > 100, `${name}: only ${acknowledgedWrites} writes were acknowledged`);
  }
}

/** The programs that run in pods, and how many of them are of the kept release. */
export async function programsOf({ play, from }: Scene): Promise<{ readonly old: number; readonly all: number }> {
  const programs = (await play.processes()).filter(({ command }) => / \S*\/store\.[jt]s /.test(`${command} `));
  return { old: programs.filter(({ command }) => command.includes(from.folder)).length, all: programs.length };
}

/** Who asks the management API. */
interface Login {
  readonly username: string;
  readonly password: string;
}

/** The management API of the cluster, as its administrator; of one node when its uid is given. */
export async function administrator(kube: Kube, node?: number): Promise<ManagementClient> {
  const [username, password] = [await keyOf(kube, cluster, "username"), await keyOf(kube, cluster, "password")];
  return managementAs(kube, { username, password }, node);
}

/** The same as another user. */
export async function managementAs(kube: Kube, login: Login, node?: number): Promise<ManagementClient> {
  const labelSelector = "storeenterprise.io/role=node";
  const { items } = await kube.list(Pods, { namespace, labelSelector });
  const asked = items.filter(
    ({ metadata }) => node === undefined || metadata.name === clusterNames.nodePod(cluster, node),
  );
  return managementClient({
    ...login,
    addresses: () => asked.flatMap(({ status }) => status?.podIP ?? []),
    port: PORTS.management,
    serverName: clusterNames.dnsName(cluster, namespace),
    ca: await keyOf(kube, `${cluster}-node-tls`, "ca.crt"),
    timeoutMs: 30_000,
  });
}

async function keyOf(kube: Kube, name: string, key: string): Promise<string> {
  return Buffer.from((await kube.get(Secrets, { name, namespace }))?.data?.[key] ?? "", "base64").toString();
}
