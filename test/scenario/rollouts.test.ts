import assert from "node:assert/strict";
import { test } from "node:test";
import { OPERATOR_NAME } from "../../src/core/api/names.ts";
import { bundleFor } from "../../src/core/releases/bundle/bundle.ts";
import { imageTagOf } from "../../src/core/releases/catalogue/images.ts";
import { Clusters } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Pods, StatefulSets } from "#kit/kube/builtin";
import { startLoadProcess, type LoadProcess } from "../../src/programs/demo/load/load-process.ts";
import { findEndpoint } from "../../src/programs/demo/scenario.ts";
import { DEMO } from "../../src/programs/demo/steps/objects.ts";
import {
  createCluster,
  createDatabase,
  installOperator,
  upgradeOperator,
} from "../../src/programs/demo/steps/steps.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";
import { startShell } from "../kit/world/shell.ts";
import { startStoryWorld } from "../kit/world/story-world.ts";

// What a hurried administrator types at a running cluster: `kubectl rollout` of its StatefulSet and of the operator.

const { namespace, cluster } = DEMO;
const REC = { name: cluster, namespace };
const NODES = { namespace, labelSelector: "storeenterprise.io/role=node" };
const DEPLOYMENT = `deployment/${OPERATOR_NAME}`;
const PATIENCE = { withinMs: 240_000, everyMs: 50 };

await using play = await startStoryWorld();
await using type = startShell(process.cwd(), { ...process.env, KUBECONFIG: play.world.kubeconfig });
const { kube } = play.world;
const { latest, older } = play;
const loads: LoadProcess[] = [];

await test("kubectl rollout of the nodes and of the operator ends right while clients write", () =>
  steps(play, {
    "a cluster serves clients": serve,
    "the roll goes on to its release after an undo, and after a restart of the operator": disturbRoll,
    "at rest an undo replaces no node": undoAtRest,
    "a restart replaces each node, and never two at a time": restartNodes,
    "an operator that is taken back changes nothing, and the newer one goes on": undoOperator,
    "no request failed, and nothing is lost": finish,
  })
    .catch(async (error: unknown) => {
      const shown = await type.run(`kubectl get sts,pods,rec,redb; kubectl logs ${DEPLOYMENT} --tail=25`);
      throw new Error(`${play.said()}\n${shown.stdout}`, { cause: error });
    })
    .finally(() => {
      for (const load of loads) load.kill();
    }));

async function serve(): Promise<void> {
  const { stage } = play;
  await installOperator(stage, bundleFor(older), older);
  await createCluster(stage, older);
  await createDatabase(stage, "7.2");
  loads.push(await startLoadProcess({ ...(await findEndpoint(stage, DEMO.database)), connections: 10, gapMs: 20 }));
}

async function disturbRoll(): Promise<void> {
  await upgradeOperator(play.stage, play.releases, latest);
  const spec = { storeEnterpriseImageSpec: { versionTag: latest.nodeTag } };
  await kube.patch(Clusters, REC, { type: "merge", body: { spec } });
  await until("one node is new", async () => (await newNodes()) >= 1, PATIENCE);
  await undoNodes();
  await until("two nodes are new", async () => (await newNodes()) >= 2, PATIENCE);
  await type(`kubectl rollout restart ${DEPLOYMENT}`);
  await type(`kubectl rollout status ${DEPLOYMENT} --timeout=240s`);
  await isSettled("no node is left to do");
  await until("every node is new", async () => (await newNodes()) === 3, PATIENCE);
}

async function undoAtRest(): Promise<void> {
  const before = await nodePods();
  await undoNodes();
  await isSettled("the StatefulSet says again what the nodes are");
  assert.deepEqual(await nodePods(), before);
}

async function restartNodes(): Promise<void> {
  const before = await nodePods();
  const watching = new AbortController();
  const away = mostAway(watching.signal);
  await type("kubectl rollout restart sts rec");
  const isRolling = async (): Promise<boolean> =>
    (await kube.get(Clusters, REC))?.status?.state === "RunningRollingUpdate";
  await until("STATE says it", isRolling, PATIENCE);
  await type("kubectl rollout status sts rec --timeout=240s");
  await isSettled("every node was replaced");
  watching.abort();
  assert.equal(await away, 1);
  const after = await nodePods();
  assert.deepEqual(
    after.filter((pod) => before.includes(pod)),
    [],
  );
}

async function undoOperator(): Promise<void> {
  const before = await nodePods();
  await type(`kubectl rollout undo ${DEPLOYMENT} --to-revision=1`);
  await type(`kubectl rollout status ${DEPLOYMENT} --timeout=240s`);
  await until(
    "the older operator says so",
    async () => (await suspension())?.reason === "OperatorDowngraded",
    PATIENCE,
  );
  await type(`kubectl rollout undo ${DEPLOYMENT}`);
  await type(`kubectl rollout status ${DEPLOYMENT} --timeout=240s`);
  await until("management goes on", async () => (await suspension())?.status === "False", PATIENCE);
  await isSettled("nothing is left to be done");
  assert.deepEqual(await nodePods(), before);
}

async function finish(): Promise<void> {
  for (const load of loads.splice(0)) {
    const { phases, ledger, failures } = await load.finish();
    const failed = phases.reduce((sum, phase) => sum + phase.failed, 0);
    const { lostWrites: lost, incrementDrift: drift, staleReads: stale } = ledger;
    assert.deepEqual(
      { failed, lost, drift, stale, failures },
      { failed: 0, lost: 0, drift: 0, stale: 0, failures: [] },
    );
  }
}

/** Gives the StatefulSet the template of the older release, which is its former one each time. */
async function undoNodes(): Promise<void> {
  assert.match(await type("kubectl rollout undo sts rec"), /rolled back$/);
}

/** The cluster runs at the latest release, its StatefulSet is of it and closed, and nothing is found. */
async function isSettled(what: string): Promise<void> {
  const look = async (): Promise<string> => {
    const [rec, set] = await Promise.all([kube.get(Clusters, REC), kube.get(StatefulSets, REC)]);
    const { state, version, findings = [] } = rec?.status ?? {};
    const tag = imageTagOf(set?.spec?.template.spec?.containers[0]?.image ?? "");
    const { observedGeneration, updatedReplicas, readyReplicas } = set?.status ?? {};
    const isSeen = observedGeneration === set?.metadata.generation;
    const partition = set?.spec?.updateStrategy?.rollingUpdate?.partition;
    return JSON.stringify({ state, version, findings, tag, isSeen, updatedReplicas, readyReplicas, partition });
  };
  const right = JSON.stringify({
    state: "Running",
    version: latest.nodeTag,
    findings: [],
    tag: latest.nodeTag,
    isSeen: true,
    updatedReplicas: 3,
    readyReplicas: 3,
    partition: 3,
  });
  let seen = "";
  const isRight = async (): Promise<boolean> => (seen = await look()) === right;
  await until(what, isRight, PATIENCE).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${seen}`);
  });
}

async function suspension() {
  const { conditions = [] } = (await kube.get(Clusters, REC))?.status ?? {};
  return conditions.find(({ type: name }) => name === "ReconcileSuspended");
}

async function newNodes(): Promise<number> {
  const { nodes = [] } = (await kube.get(Clusters, REC))?.status ?? {};
  return nodes.filter(({ version, status }) => version === latest.nodeTag && status === "active").length;
}

async function nodePods(): Promise<readonly string[]> {
  const { items } = await kube.list(Pods, NODES);
  return items.map(({ metadata }) => `${metadata.name} ${metadata.uid}`).toSorted();
}

/** How many of the three node pods were being deleted or gone at once, at most, until `signal`. */
async function mostAway(signal: AbortSignal): Promise<number> {
  const { items, resourceVersion } = await kube.list(Pods, NODES);
  const there = new Map(items.map((pod) => [pod.metadata.name, pod.metadata.deletionTimestamp === undefined]));
  let most = 0;
  try {
    for await (const event of kube.watch(Pods, { ...NODES, resourceVersion, signal })) {
      if (event.type === "BOOKMARK") continue;
      const { name, deletionTimestamp } = event.object.metadata;
      there.set(name, event.type !== "DELETED" && deletionTimestamp === undefined);
      most = Math.max(most, [...there.values()].filter((isThere) => !isThere).length);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return most;
}
