import assert from "node:assert/strict";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { test } from "node:test";
import { LABELS } from "../../src/core/api/names.ts";
import type { ClusterStatus } from "../../src/core/api/cluster-status.ts";
import type { DatabaseStatus } from "../../src/core/api/database-status.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { Clusters, Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Nodes, Pods } from "#kit/kube/builtin";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";
import { askDatabase } from "../kit/world/ask.ts";
import { PATIENCE, startStorectlWorld } from "../kit/world/storectl-world.ts";

// Every node of a cluster is lost at once, and no worker takes a new one: the volumes are what is left.

const REC = { name: "rec", namespace: "default" };

await using world = await startStorectlWorld(latestRelease());

await test("a cluster whose nodes were all lost at once comes back over its volumes", () =>
  steps(world, {
    "a database with persistence holds data": fill,
    "every node pod is deleted by force, and no new one finds a worker": loseNodes,
    "storectl recover says what each database will have, and does nothing without consent": propose,
    "with consent it leads through the recovery, and every state is seen": recover,
    "what was acknowledged is there, and what was not kept is reported": assertBack,
  }));

async function fill(): Promise<void> {
  const spec = { storeVersion: "7.2", persistence: "aofAlways" } as const;
  await world.kube.create(Databases, { metadata: { name: "ledger", namespace: "default" }, spec });
  await until("ledger", async () => (await database("ledger")).status === "active", PATIENCE);
  await until("it serves", async () => (await ask("SET", "kept", "yes").catch(String)) === "OK", PATIENCE);
}

async function loseNodes(): Promise<void> {
  await setWorkers(true);
  const { items } = await world.kube.list(Pods, { labelSelector: `${LABELS.cluster}=rec,${LABELS.role}=node` });
  await Promise.all(
    items.map(({ metadata }) => world.kube.delete(Pods, { ...REC, name: metadata.name }, { gracePeriodSeconds: 0 })),
  );
  await world.stateIs("Error");
  const lost = async (): Promise<boolean> => (await database("ledger")).findings?.[0]?.id === "ClusterNotReady";
  await until("the database says so", lost, PATIENCE);
}

async function propose(): Promise<void> {
  const { code, stdout } = await world.storectl("recover");
  assert.equal(code, 3, stdout);
  assert.match(stdout, /1\. rec\/rec: QuorumLost\n +0 of 3 nodes are active/);
  assert.match(stdout, /"clusterRecovery":true/);
  assert.match(
    stdout.replace(/\s+/g, " "),
    /"orders" comes back empty; "ledger" comes back with every acknowledged write/,
  );
  assert.equal((await world.kube.get(Clusters, REC))?.spec.clusterRecovery, undefined);
}

async function recover(): Promise<void> {
  const before = (await pods()).map(({ metadata }) => metadata.uid);
  const seen: string[] = [];
  const watching = new AbortController();
  const from = (await world.kube.get(Clusters, REC))?.metadata.resourceVersion ?? "";
  const noting = noteStates(seen, from, watching.signal);
  const child = world.begin("recover", "--yes");
  assert.ok(child.stdout && child.stderr);
  const [ended, stdout, stderr] = [once(child, "exit"), read(child.stdout), read(child.stderr)];
  await until(
    "RecoveringFirstPod",
    () => seen.includes("RecoveringFirstPod") && stdout.text.includes("RecoveringFirstPod"),
    PATIENCE,
  );
  const { recovery } = await status();
  assert.deepEqual(recovery?.pods.toSorted(), before.toSorted());
  await setWorkers(false);
  await until("Running", () => seen.includes("Running"), PATIENCE);
  watching.abort();
  await noting;
  const [code] = await ended;
  assert.equal(code, 0, stdout.text + stderr.text);
  assert.deepEqual(
    seen.filter((state) => state !== "Error"),
    ["RecoveryReset", "RecoveringFirstPod", "Initializing", "Running"],
  );
  await until("it says so", () => /RecoveringFirstPod[^]*Running[^]*cleared/.test(stdout.text));
  assert.equal((await world.kube.get(Clusters, REC))?.spec.clusterRecovery, false);
  await until("it is over", async () => (await status()).recovery?.finishedAt !== undefined, PATIENCE);
}

/** Each state that the cluster has, also one that passes at once. */
async function noteStates(seen: string[], resourceVersion: string, signal: AbortSignal): Promise<void> {
  try {
    for await (const event of world.kube.watch(Clusters, { namespace: "default", resourceVersion, signal })) {
      const state = event.type === "BOOKMARK" ? undefined : event.object.status?.state;
      if (state !== undefined && state !== seen.at(-1)) seen.push(state);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** What is in a stream up to now. */
function read(stream: Readable): { readonly text: string } {
  const said = { text: "" };
  stream.on("data", (data) => (said.text += String(data)));
  return said;
}

async function assertBack(): Promise<void> {
  await until("ledger", async () => (await database("ledger")).status === "active", PATIENCE);
  assert.equal(await ask("GET", "kept"), "yes");
  assert.deepEqual((await database("ledger")).lossReports, []);
  await until("orders", async () => (await database("orders")).status === "active", PATIENCE);
  assert.match((await database("orders")).lossReports?.join() ?? "", /"orders" starts again .* its data is gone/);
}

async function status(): Promise<ClusterStatus> {
  return (await world.kube.get(Clusters, REC))?.status ?? {};
}

async function database(name: string): Promise<DatabaseStatus> {
  return (await world.kube.get(Databases, { name, namespace: "default" }))?.status ?? {};
}

async function pods() {
  return (await world.kube.list(Pods, { labelSelector: `${LABELS.cluster}=rec,${LABELS.role}=node` })).items;
}

async function setWorkers(unschedulable: boolean): Promise<void> {
  const { items } = await world.kube.list(Nodes);
  const body = { spec: { unschedulable } };
  for (const { metadata } of items) await world.kube.patch(Nodes, { name: metadata.name }, { type: "merge", body });
}

function ask(...command: readonly [string, ...string[]]): Promise<unknown> {
  return askDatabase(world.kube, { name: "ledger", namespace: "default" }, ...command);
}
