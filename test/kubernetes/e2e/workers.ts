import assert from "node:assert/strict";
import { ENGINES_CONTAINER, NODE_CONTAINER } from "../../../src/core/api/names.ts";
import type { LoadResult } from "../../../src/programs/demo/load/clients.ts";
import { storedRecord } from "../../kit/world/chaos.ts";
import { until } from "#kit/testing/until";
import type { ClusterNode } from "../cluster/cluster.ts";
import { assertUnharmed, underLoad, untilServed } from "./load.ts";
import type { Scene } from "./scene.ts";
import { settled, whereabouts } from "./whereabouts.ts";

/** How long a database may be without a primary when a worker is lost without a word, in milliseconds. */
const FAILOVER_WITHIN_MS = 60_000;

/** The primary's worker is drained; a second one cannot be before the first is back. */
export async function drainedWorker(scene: Scene): Promise<void> {
  const { kubectl } = scene;
  const { primary, others, workerOf } = await whereabouts(scene);
  const [spare = "", second = ""] = others;
  const seen = await underLoad(scene, workerOf(spare), async () => {
    const drain = `drain ${workerOf(primary)} --ignore-daemonsets --delete-emptydir-data --timeout=60s`;
    const { code, stderr } = await kubectl.run(drain, [], { timeoutMs: 70_000 });
    assert.equal(code, 0, stderr);
    assert.notEqual((await whereabouts(scene)).primary, primary);
    const selector = "--pod-selector=storeenterprise.io/role=node";
    const refusal = await kubectl.refused(`drain ${workerOf(second)} ${selector} --timeout=4s`);
    assert.match(refusal, /violate the pod's disruption budget/);
    for (const pod of [primary, second]) await kubectl(`uncordon ${workerOf(pod)}`);
    await settled(scene);
  });
  assertUnharmed(seen);
}

/** The primary's pod is deleted and comes back on its own volume. */
export async function deletedPod(scene: Scene): Promise<void> {
  const { kubectl } = scene;
  const { primary, workerWithout } = await whereabouts(scene);
  const claim = `store-enterprise-storage-${primary}`;
  const volume = (): Promise<string> => kubectl(`get pvc ${claim} -o`, "jsonpath={.metadata.uid} {.spec.volumeName}");
  const uid = (): Promise<string> => kubectl(`get pod ${primary} -o`, "jsonpath={.metadata.uid}");
  const before = { volume: await volume(), pod: await uid() };
  const seen = await underLoad(scene, workerWithout(primary), async () => {
    await kubectl(`delete pod ${primary} --timeout=25s`);
    await settled(scene);
  });
  assert.equal(await volume(), before.volume);
  assert.notEqual(await uid(), before.pod);
  assertUnharmed(seen);
}

/** Everything in the container of the agent of a node without the primary ends at once, as when it runs out of memory. */
export async function killedContainer(scene: Scene): Promise<void> {
  const { others, workerOf, workerWithout } = await whereabouts(scene);
  const [victim = ""] = others;
  const before = await restarts(scene, victim, NODE_CONTAINER);
  const seen = await underLoad(scene, workerWithout(victim), async () => {
    await kill(nodeNamed(scene, workerOf(victim)), "agent");
    const isBack = async (): Promise<boolean> => (await restarts(scene, victim, NODE_CONTAINER)) > before;
    await until("the container is started again", isBack, PATIENCE);
    await settled(scene);
  });
  assertNothingLost(seen, await lossReports(scene), "spared the primary");
}

/** Everything in the container of the engines of the primary's node ends at once: its agent and its proxy go on. */
export async function killedEngines(scene: Scene): Promise<void> {
  const { primary, workerOf, workerWithout } = await whereabouts(scene);
  const counts = () => Promise.all([NODE_CONTAINER, ENGINES_CONTAINER].map((name) => restarts(scene, primary, name)));
  const [agent, engines = 0] = await counts();
  const seen = await underLoad(scene, workerWithout(primary), async (load) => {
    await untilServed(load);
    await kill(nodeNamed(scene, workerOf(primary)), "starter");
    await until("the engines have a container again", async () => ((await counts())[1] ?? 0) > engines, PATIENCE);
    await untilServed(load);
    await settled(scene);
  });
  assert.deepEqual(await counts(), [agent, engines + 1]);
  assertNothingLost(seen, await lossReports(scene), "cost the primary");
}

/** The primary's worker is cut off; another node takes over; when it is back, no command is needed. */
export async function partitionedWorker(scene: Scene): Promise<void> {
  const { primary, workerOf, workerWithout } = await whereabouts(scene);
  const seen = await underLoad(scene, workerWithout(primary), async (load) => {
    await untilServed(load);
    await scene.cluster.partition(workerOf(primary));
    await untilAnotherPrimary(scene, primary);
    await untilServed(load);
    await scene.cluster.heal(workerOf(primary));
    await settled(scene);
  });
  assertNothingLost(seen, await lossReports(scene), "cost the primary");
}

/** The primary's worker loses its power; when it has it again, its node is back with its data. */
export async function darkWorker(scene: Scene): Promise<void> {
  const { primary, workerOf, workerWithout } = await whereabouts(scene);
  const worker = nodeNamed(scene, workerOf(primary));
  const seen = await underLoad(scene, workerWithout(primary), async (load) => {
    await untilServed(load);
    await worker.stop();
    await untilAnotherPrimary(scene, primary);
    await untilServed(load);
    await worker.start();
    await settled(scene);
  });
  assertNothingLost(seen, await lossReports(scene), "cost the primary");
}

const PATIENCE = { withinMs: 60_000, everyMs: 200 };

/** Ends a program of the node's pod; its container ends with it. Tools for that may be missing on the machine, a shell is not. */
async function kill(node: ClusterNode, program: "agent" | "starter"): Promise<void> {
  const script = `for each in /proc/[0-9]*; do
  if tr '\\0' ' ' < $each/cmdline 2>/dev/null | grep -q '[s]tore.js ${program}'; then kill -9 "\${each#/proc/}"; hit=1; fi
done; test -n "$hit"`;
  const { code, stderr } = await node.exec(["sh", "-c", script]);
  assert.equal(code, 0, stderr);
}

/** How often Kubernetes has started a container of a pod again. */
async function restarts({ kubectl }: Scene, pod: string, container: string): Promise<number> {
  const count = `jsonpath={.status.containerStatuses[?(@.name=="${container}")].restartCount}`;
  return Number(await kubectl(`get pod ${pod} -o`, count));
}

async function untilAnotherPrimary(scene: Scene, before: string): Promise<void> {
  const moved = async (): Promise<boolean> => (await whereabouts(scene)).primary !== before;
  await until("another node has the primary", moved, { withinMs: FAILOVER_WITHIN_MS, everyMs: 200 });
}

async function lossReports(scene: Scene): Promise<readonly unknown[]> {
  return (await storedRecord(scene)).lossReports;
}

/**
 * A client library repeats what it has no answer to when a connection is cut, so an increment may count twice; what was acknowledged
 * is there, unless the primary itself was lost and the database says so.
 */
function assertNothingLost(
  seen: LoadResult,
  reports: readonly unknown[],
  cost: "spared the primary" | "cost the primary",
): void {
  const { ledger, phases, reconnects } = seen;
  const failed = phases.reduce((sum, phase) => sum + phase.failed, 0);
  assert.ok(failed <= reconnects, `${failed} requests failed, ${reconnects} connections were cut`);
  assert.ok(ledger.incrementDrift <= reconnects, `counted ${ledger.incrementDrift} more than were answered`);
  const lost = ledger.lostWrites + Math.max(0, -ledger.incrementDrift);
  if (cost === "spared the primary") assert.equal(lost, 0);
  else assert.ok(lost === 0 || reports.length > 0, `${lost} acknowledged writes are gone in silence`);
  assert.ok(ledger.acknowledgedWrites > 100, `only ${ledger.acknowledgedWrites} writes prove little`);
}

function nodeNamed({ cluster }: Scene, name: string): ClusterNode {
  const found = cluster.nodes.find((node) => node.name === name);
  if (found === undefined) throw new Error(`there is no worker ${name}`);
  return found;
}
