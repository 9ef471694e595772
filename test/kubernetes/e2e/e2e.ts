import assert from "node:assert/strict";
import { after, before, test, type TestContext } from "node:test";
import { OPERATOR_NAME } from "../../../src/api/names.ts";
import { Clusters } from "../../../src/demo/cast.ts";
import { receiptLines } from "../../../src/demo/receipt.ts";
import { newestVersion, tellStory } from "../../../src/demo/story.ts";
import { until as untilObject } from "../../../src/demo/until.ts";
import { Leases, Pods } from "../../../src/kube/builtin.ts";
import { chooseEngine } from "../../../src/releases/engines.ts";
import { discoverEngines } from "../../../src/supervisor/engines.ts";
import { until } from "../../kit/until.ts";
import { assertUnharmed, startLoadOn, underLoad } from "./load.ts";
import { openScene, type Scene } from "./scene.ts";
import { settled, whereabouts } from "./whereabouts.ts";

const isShort = process.env["E2E_SHORT"] === "1";
const REC = { namespace: "default", name: "rec" };
const began = performance.now();
let scene: Scene;
let failedAt: string | undefined;

before(async () => {
  scene = await openScene(say);
});

after(() => scene[Symbol.asyncDispose]());

step(
  "the main job: operator, cluster and database are upgraded under load from a pod; nothing fails, nothing is lost",
  async (t) => {
    const { stage, older, latest, releases } = scene;
    const found = await discoverEngines(process.env);
    const rolled = watchRollout();
    const receipt = await tellStory(stage, {
      older,
      latest,
      releases,
      fromVersion: "7.2",
      toVersion: newestVersion((version) => chooseEngine(version, found)?.standIn === false),
      connections: 20,
      gapMs: 20,
      restMs: isShort ? 2_000 : 5_000,
      startLoad: (options) => startLoadOn(scene, "node1", options),
    });
    for (const line of receiptLines(receipt)) t.diagnostic(line);
    assert.equal(receipt.verdict, "passed", receiptLines(receipt).join("\n"));
    assert.match(await rolled, /roll(ing update|( |)out) complete/);
    assert.deepEqual(
      await scene.kubectl("get rec rec -o", "jsonpath={.status.nodes[*].version}"),
      thrice(latest.nodeTag),
    );
  },
);

step("each node of the cluster has a worker of its own", async () => {
  const { items } = await scene.stage.kube.list(Pods, {
    namespace: "default",
    labelSelector: "storeenterprise.io/role=node",
  });
  assert.equal(new Set(items.map(({ spec }) => spec?.nodeName)).size, 3);
});

step(
  "a worker is drained: its primary moves first, no request fails, and a second worker is not drained meanwhile",
  async () => {
    const { kubectl } = scene;
    const { primary, others, workerOf } = await whereabouts(scene);
    const [spare = "", second = ""] = others;
    const seen = await underLoad(scene, workerOf(spare), async () => {
      const drain = `drain ${workerOf(primary)} --ignore-daemonsets --delete-emptydir-data --timeout=60s`;
      const { code, stderr } = await kubectl.run(drain, [], { timeoutMs: 70_000 });
      assert.equal(code, 0, stderr);
      const moved = await whereabouts(scene);
      assert.notEqual(moved.primary, primary);
      const selector = "--pod-selector=storeenterprise.io/role=node";
      const refusal = await kubectl.refused(`drain ${workerOf(second)} ${selector} --timeout=4s`);
      assert.match(refusal, /violate the pod's disruption budget/);
      for (const pod of [primary, second]) await kubectl(`uncordon ${workerOf(pod)}`);
      await settled(scene);
    });
    assertUnharmed(seen);
  },
);

step("a node pod that is deleted comes back on its own volume, and no request fails", async () => {
  const { kubectl } = scene;
  const { primary, workerWithout } = await whereabouts(scene);
  const claim = `store-enterprise-storage-${primary}`;
  const volume = async (): Promise<string> =>
    kubectl(`get pvc ${claim} -o`, "jsonpath={.metadata.uid} {.spec.volumeName}");
  const uid = async (): Promise<string> => kubectl(`get pod ${primary} -o`, "jsonpath={.metadata.uid}");
  const before = { volume: await volume(), pod: await uid() };
  const seen = await underLoad(scene, workerWithout(primary), async () => {
    await kubectl(`delete pod ${primary} --timeout=25s`);
    await settled(scene);
  });
  assert.equal(await volume(), before.volume);
  assert.notEqual(await uid(), before.pod);
  assertUnharmed(seen);
});

step("of two operators one leads; when it goes, the other takes over and goes on with the work", async () => {
  const { kubectl, stage } = scene;
  const holder = async (): Promise<string> =>
    (await stage.kube.get(Leases, { namespace: "default", name: OPERATOR_NAME }))?.spec?.holderIdentity ?? "";
  await kubectl(`scale deployment ${OPERATOR_NAME} --replicas=2`);
  await kubectl(`rollout status deployment ${OPERATOR_NAME} --timeout=25s`);
  const first = await holder();
  await kubectl(`delete pod ${first} --grace-period=0 --force --wait=false`);
  await until("another operator leads", async () => !["", first].includes(await holder()), { withinMs: 20_000 });
  await kubectl("patch redb orders --type=merge -p", '{"spec":{"memorySize":"300MB"}}');
  await kubectl(
    "wait redb/orders --for=jsonpath={.status.observedGeneration}=" + (await generation()) + " --timeout=25s",
  );
  await kubectl(`scale deployment ${OPERATOR_NAME} --replicas=1`);
  await settled(scene);
});

step("uninstalling leaves nothing behind but the volumes and what belongs to them", async () => {
  const { kubectl } = scene;
  await kubectl("delete pod load --grace-period=0 --force");
  await kubectl("delete redb --all --timeout=25s");
  await kubectl("delete rec --all --timeout=25s");
  const { older, latest, releases } = scene;
  assert.notEqual(older.operator, latest.operator);
  const bundle = await (await fetch(`${releases.bundleBaseUrl}/v${latest.operator}/bundle.yaml`)).text();
  await kubectl.given(bundle, "delete -f - --timeout=25s");
  const kinds = "all,pvc,configmap,secret,lease,role,rolebinding,serviceaccount,pdb,endpointslices";
  const left = async (): Promise<string[]> => {
    const names = (await kubectl(`get ${kinds} -o name`)).trim().split("\n");
    return names.filter((name) => !OF_KUBERNETES.includes(name)).toSorted();
  };
  const ofVolumes = [0, 1, 2].map((n) => `persistentvolumeclaim/store-enterprise-storage-rec-${n}`);
  const documented = ["configmap/rec-cluster", ...ofVolumes];
  await until("the garbage is collected", async () => (await left()).length <= documented.length, {
    withinMs: 30_000,
    everyMs: 500,
  });
  assert.deepEqual(await left(), documented);
  assert.doesNotMatch(await kubectl("get crd -o name"), /storeenterprise/);
  await kubectl("delete pvc,configmap -l storeenterprise.io/cluster=rec --timeout=25s");
  assert.deepEqual(await left(), []);
});

/** What a namespace has by itself. */
const OF_KUBERNETES: readonly string[] = [
  "service/kubernetes",
  "configmap/kube-root-ca.crt",
  "serviceaccount/default",
  "endpointslice.discovery.k8s.io/kubernetes",
];

/** A test that runs after those above it, and not at all once one of them has failed. */
function step(name: string, act: (t: TestContext) => Promise<void>): void {
  test(name, async (t) => {
    if (failedAt !== undefined) return t.skip(`what it builds on has failed: ${failedAt}`);
    say(name);
    try {
      await act(t);
    } catch (error) {
      failedAt = name;
      say(`evidence is kept in ${await scene.keepEvidence(name)}`);
      throw error;
    }
  });
}

/** What `kubectl rollout status` says of the cluster's StatefulSet, started when the roll has begun. */
async function watchRollout(): Promise<string> {
  await untilObject(scene.stage, Clusters, REC, {
    what: "a cluster that is being upgraded",
    withinMs: 300_000,
    isMet: ({ status }) => status?.state === "Upgrade",
  });
  const { code, stdout, stderr } = await scene.kubectl.run("rollout status sts/rec --timeout=180s", [], {
    timeoutMs: 190_000,
  });
  assert.equal(code, 0, stderr);
  return stdout;
}

function generation(): Promise<string> {
  return scene.kubectl("get redb orders -o", "jsonpath={.metadata.generation}");
}

function thrice(word: string): string {
  return [word, word, word].join(" ");
}

function say(line: string): void {
  process.stdout.write(`# ${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
}
