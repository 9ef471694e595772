import assert from "node:assert/strict";
import { Clusters } from "../../../src/mechanisms/observe/kubernetes/kinds.ts";
import { DEMO } from "../../../src/programs/demo/steps/objects.ts";
import { receiptLines } from "../../../src/programs/demo/report/receipt.ts";
import { newestVersion, runScenario } from "../../../src/programs/demo/scenario.ts";
import { upgradeOperator } from "../../../src/programs/demo/steps/steps.ts";
import { waitForObject } from "../../../src/programs/demo/steps/wait.ts";
import { Pods } from "#kit/kube/builtin";
import { chooseEngine } from "../../../src/core/releases/engines/engines.ts";
import { discoverEngines } from "../../../src/mechanisms/supervisor/engines.ts";
import { goBackTo } from "../../kit/scenario/go-back.ts";
import { startLoadOn } from "./load.ts";
import { proves } from "../../kit/specification/proves.ts";
import type { Scene } from "./scene.ts";

/**
 * Installs the oldest kept release, makes a cluster and a database, and upgrades all of it under load from a pod. The operator goes
 * back once, before the cluster is touched.
 */
export async function mainJob(scene: Scene): Promise<void> {
  const { stage, origins, latest, releases, kubectl } = scene;
  const { release: older, version, bundle } = origins.oldest;
  scene.say(`from ${version}, which runs as ${older.operator}`);
  const found = await discoverEngines(process.env);
  const rolled = watchRollout(scene);
  const receipt = await runScenario(stage, {
    older,
    latest,
    releases,
    fromVersion: "7.2",
    toVersion: newestVersion((version) => chooseEngine(version, found)?.standIn === false),
    connections: 20,
    gapMs: 20,
    restMs: 3_000,
    startLoad: (options) => startLoadOn(scene, "node1", options),
    onOperator: async () => {
      await goBackTo(stage, await bundle(), older);
      await upgradeOperator(stage, releases, latest);
    },
  });
  for (const line of receiptLines(receipt)) scene.say(line);
  assert.equal(receipt.verdict, "passed", receiptLines(receipt).join("\n"));
  proves(
    "§4.1 the roll is watched with rollout status sts",
    "on real nodes: the last line of `kubectl rollout status`",
  ).match(await rolled, /roll(ing update|( |)out) complete/);
  const versions = await kubectl("get rec rec -o", "jsonpath={.status.nodes[*].version}");
  proves(
    "§1 operator, cluster, databases: in this order, each rolling",
    "on real nodes: the release of each node after an upgrade under load from a pod, in which no request failed",
  ).deepEqual([versions, receipt.failedRequests], [[1, 2, 3].map(() => latest.nodeTag).join(" "), 0]);
}

/** No worker has two nodes of the cluster, and each node has read the limit that its kubelet has set. */
export async function eachNodeHasAWorker({ stage, kubectl }: Scene): Promise<void> {
  const labelSelector = "storeenterprise.io/role=node";
  const { items } = await stage.kube.list(Pods, { namespace: DEMO.namespace, labelSelector });
  assert.equal(new Set(items.map(({ spec }) => spec?.nodeName)).size, 3);
  for (const uid of [1, 2, 3]) {
    const report = "{.metadata.annotations.storeenterprise\\.io/node-report}";
    const said = await kubectl(`get lease ${DEMO.cluster}-node-${uid} -o jsonpath=${report}`);
    assert.match(said, new RegExp(`"container":{"limit":${2 * 2 ** 30},`), `node ${uid}: ${said}`);
  }
}

/** What `kubectl rollout status` says of the cluster's StatefulSet, started when the roll has begun. */
async function watchRollout({ stage, kubectl }: Scene): Promise<string> {
  const rec = { namespace: DEMO.namespace, name: DEMO.cluster };
  await waitForObject(stage, Clusters, rec, {
    what: "a cluster that is being upgraded",
    withinMs: 300_000,
    isMet: ({ status }) => status?.state === "Upgrade",
  });
  const line = "rollout status sts/rec --timeout=180s";
  const { code, stdout, stderr } = await kubectl.run(line, [], { timeoutMs: 190_000 });
  assert.equal(code, 0, stderr);
  return stdout;
}
