import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { buildRelease, whyNotBuildable, type BuiltRelease } from "../../scripts/releases/build.ts";
import { keptReleases, type KeptRelease } from "../../scripts/releases/history.ts";
import { RELEASE_ANNOTATION } from "../../src/core/api/names.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { Clusters, Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { CustomResourceDefinitions } from "#kit/kube/builtin";
import { loadKubeConfig } from "#kit/kube/config";
import type { KubeConfig } from "#kit/kube/kubeconfig";
import { bindKubectl, type Kubectl } from "../kit/kubernetes/kubectl.ts";
import { startOperatorProcess, type OperatorProgram } from "../kit/operator/operator-process.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";
import { skipWithout, VERSION } from "../kubernetes/assets/assets.ts";
import { startControlPlane, type ControlPlane } from "../kubernetes/control-plane/control-plane.ts";
import { established } from "../kit/kubernetes/established.ts";

const NAMESPACE = "default";
const REC = { name: "rec", namespace: NAMESPACE };
const REDB = { name: "orders", namespace: NAMESPACE };
const PATIENCE = { withinMs: 120_000, everyMs: 50 };
const OUR_BUNDLE = "deploy/bundle.yaml";

interface Scene {
  readonly from: BuiltRelease;
  readonly plane: ControlPlane;
  readonly config: KubeConfig;
  readonly kubectl: Kubectl;
  readonly olderBundle: string;
}

const all = keptReleases();
for (const kept of new Set([all[0], all.at(-1) ?? all[0]])) {
  const skip = skipWithout("api") || ((await whyNotBuildable(kept)) ?? false);
  await test(`bundle and operator of ${kept.version} are upgraded on a real API server, and go back`, { skip }, () =>
    upgrade(kept),
  );
}

/** There are no nodes: operators run here, as the account of the bundle. */
async function upgrade(kept: KeptRelease): Promise<void> {
  const from = await buildRelease(kept);
  await using plane = await startControlPlane();
  const { kubeconfig, folder } = plane;
  const olderBundle = join(folder, "older-bundle.yaml");
  writeFileSync(olderBundle, await from.bundle());
  const kubectl = bindKubectl({ path: plane.kubectl, version: VERSION }, kubeconfig, folder);
  await steps<Scene>(
    { from, plane, config: loadKubeConfig({ KUBECONFIG: kubeconfig }), kubectl, olderBundle },
    {
      "the older operator takes on a cluster and a database": installOlder,
      "the bundle of this checkout brings its definitions and its operator": takeOver,
      "the older bundle and operator go on with the same objects": goBack,
      "and once more the newer": takeOver,
    },
  );
}

async function installOlder(scene: Scene): Promise<void> {
  const { from, kubectl, olderBundle } = scene;
  await kubectl(`apply -f ${olderBundle}`);
  await established(kubectl);
  for (const sample of ["cluster", "database"])
    await kubectl(`apply -f ${join(from.folder, "deploy/samples", `${sample}.yaml`)}`);
  await manage(scene, 3, { command: from.command, release: from.runsAs });
}

async function takeOver(scene: Scene): Promise<void> {
  const before = await objects(scene);
  await scene.kubectl(`apply -f ${OUR_BUNDLE}`);
  assert.equal(await scene.kubectl(`diff -f ${OUR_BUNDLE}`), "");
  assert.deepEqual(await marks(scene), [latestRelease().operator]);
  await manage(scene, 5);
  const after = await objects(scene);
  // a new definition may add fields with their defaults
  const kept = before.map(({ uid, spec }, index) => ({
    uid,
    spec: { ...after[index]?.spec, ...spec, ...nodesOf(spec, 5) },
  }));
  assert.deepEqual(after, kept);
}

async function goBack(scene: Scene): Promise<void> {
  const { from, kubectl, olderBundle } = scene;
  await kubectl(`apply -f ${olderBundle}`);
  // definitions that it does not have stay as they are
  const its = readFileSync(olderBundle, "utf8");
  assert.deepEqual(await marks(scene, (name) => its.includes(name)), [from.runsAs.operator]);
  await manage(scene, 3, { command: from.command, release: from.runsAs });
}

/** Runs an operator until it has seen an edit of the cluster; its account is allowed everything that it asks for. */
async function manage({ plane, config }: Scene, nodes: number, program?: OperatorProgram): Promise<void> {
  const { kube, folder } = plane;
  await using operator = await startOperatorProcess({ kube, config, folder }, NAMESPACE, program);
  await kube.patch(Clusters, REC, { type: "merge", body: { spec: { nodes } } });
  const hasSeen = async (): Promise<boolean> => {
    const { metadata, status } = (await kube.get(Clusters, REC)) ?? {};
    const { finalizers = [] } = (await kube.get(Databases, REDB))?.metadata ?? {};
    return (
      status?.observedGeneration === metadata?.generation && status?.specStatus === "Valid" && finalizers.length > 0
    );
  };
  await until("the operator has seen the edit", hasSeen, PATIENCE).catch((error: unknown) => {
    throw new Error(operator.log().slice(-4_000), { cause: error });
  });
  assert.doesNotMatch(operator.log(), /forbidden/i);
  await operator.terminate();
}

/** Identity and content of the objects that users own. */
async function objects({ plane: { kube } }: Scene) {
  const [cluster, database] = [await kube.get(Clusters, REC), await kube.get(Databases, REDB)];
  return [cluster, database].map((object) => ({ uid: object?.metadata.uid, spec: { ...object?.spec } }));
}

function nodesOf(spec: object, nodes: number): object {
  return "nodes" in spec ? { nodes } : {};
}

/** The releases that the installed definitions come with, of those that are meant. */
async function marks(
  { plane: { kube } }: Scene,
  isMeant: (name: string) => boolean = () => true,
): Promise<readonly (string | undefined)[]> {
  const meant = (await kube.list(CustomResourceDefinitions)).items.filter(({ metadata }) => isMeant(metadata.name));
  return [...new Set(meant.map(({ metadata }) => metadata.annotations?.[RELEASE_ANNOTATION]))];
}
