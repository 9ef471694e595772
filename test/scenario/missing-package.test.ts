import assert from "node:assert/strict";
import { test } from "node:test";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import type { ImageStore } from "#kubernetes";
import { Clusters, Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Pods } from "#kit/kube/builtin";
import { DEMO } from "../../src/programs/demo/steps/objects.ts";
import { createCluster, installOperator, upgradeOperator } from "../../src/programs/demo/steps/steps.ts";
import { bundleFor } from "../../src/core/releases/bundle/bundle.ts";
import { enginesWithoutPackages, noPackagedModule } from "../kit/modules/packaged-module.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";
import { startShell } from "../kit/world/shell.ts";
import { startStoryWorld, type StoryWorld } from "../kit/world/story-world.ts";

const { namespace, cluster } = DEMO;
const REC = { namespace, name: cluster };
const TEXTS = { namespace, name: "texts" };
const PATIENCE = { withinMs: 60_000, everyMs: 100 };
const latest = latestRelease();

interface Scene {
  readonly play: StoryWorld;
  /** Makes the images of the latest release again, with the package beside their engine. */
  makeAgain(): void;
}

await test("an image without a module package that a database uses", { skip: noPackagedModule() }, async () => {
  await using engines = await enginesWithoutPackages();
  let isComplete = false;
  const imagesFrom = (usual: ImageStore): ImageStore => ({
    resolve: (reference) => {
      const image = usual.resolve(reference);
      if (isComplete || image?.env["STORE_RELEASE"] !== latest.operator) return image;
      return { ...image, env: { ...image.env, STORE_ENGINES_DIR: engines.path } };
    },
  });
  await using play = await startStoryWorld({ imagesFrom });
  const makeAgain = (): void => {
    isComplete = true;
  };
  await steps<Scene>(
    { play, makeAgain },
    {
      "a database uses the module of a package": useThePackage,
      "storectl says that the release to come does not bring it": warnEarly,
      "the upgrade to that release does not begin": blockTheUpgrade,
      "with an image that brings it the upgrade goes on, and the database keeps its module": goOn,
    },
  ).catch((error: unknown) => {
    throw new Error(play.said(), { cause: error });
  });
});

async function useThePackage({ play: { stage, older, world } }: Scene): Promise<void> {
  await installOperator(stage, bundleFor(older), older);
  await createCluster(stage, older);
  await world.kube.create(Databases, {
    metadata: TEXTS,
    spec: {
      storeEnterpriseCluster: { name: cluster },
      storeVersion: "7.2",
      memorySize: "100MB",
      modulesList: [{ name: "ft" }],
    },
  });
  const isActive = async (): Promise<boolean> => (await world.kube.get(Databases, TEXTS))?.status?.status === "active";
  await until("the database is active", isActive, PATIENCE);
}

async function warnEarly({ play }: Scene): Promise<void> {
  const before = await preflight(play);
  assert.match(before, /NOTE +BundledModuleMissing\n.*module "ft" for databases of 7\.2, used by "texts": whether/);
  await upgradeOperator(play.stage, play.releases, latest);
  const after = await preflight(play);
  assert.match(after, /BLOCKS +BundledModuleMissing\n +the images of 8\.2\.0-12 do not bring module "ft"/);
}

async function blockTheUpgrade({ play: { world } }: Scene): Promise<void> {
  const before = await nodePods(world.kube);
  await world.kube.patch(Clusters, REC, {
    type: "merge",
    body: { spec: { storeEnterpriseImageSpec: { versionTag: latest.nodeTag } } },
  });
  const isBlocked = async (): Promise<boolean> =>
    (await world.kube.get(Clusters, REC))?.status?.state === "InvalidUpgrade";
  await until("STATE InvalidUpgrade", isBlocked, PATIENCE);
  const { findings = [] } = (await world.kube.get(Clusters, REC))?.status ?? {};
  const found = findings.find(({ id }) => id === "BundledModuleMissing");
  assert.equal(found?.severity, "block");
  assert.match(
    found.evidence,
    /"ft" for databases of 7\.2, used by "texts"; they bring vectorset for 8\.0; vectorset for 8\.2$/,
  );
  assert.match(found.remedy, /images\/Containerfile.*restart the operator/);
  assert.deepEqual(await nodePods(world.kube), before);
}

async function goOn({ play: { world }, makeAgain }: Scene): Promise<void> {
  makeAgain();
  const { items } = await world.kube.list(Pods, { namespace, labelSelector: "name=store-enterprise-operator" });
  for (const { metadata } of items) await world.kube.delete(Pods, metadata);
  const isThere = async (): Promise<boolean> => {
    const { state, version, findings } = (await world.kube.get(Clusters, REC))?.status ?? {};
    return state === "Running" && version === latest.nodeTag && findings?.length === 0;
  };
  await until("the cluster is upgraded", isThere, { withinMs: 120_000, everyMs: 200 });
  const texts = await world.kube.get(Databases, TEXTS);
  assert.equal(texts?.status?.status, "active");
}

async function preflight({ world }: StoryWorld): Promise<string> {
  await using type = startShell(process.cwd(), { ...process.env, KUBECONFIG: world.kubeconfig });
  return await type(`node src/bin/storectl.ts preflight ${cluster} -n ${namespace} --to ${latest.operator} || true`);
}

async function nodePods(kube: StoryWorld["world"]["kube"]): Promise<readonly string[]> {
  const { items } = await kube.list(Pods, { namespace, labelSelector: "storeenterprise.io/role=node" });
  return items.map(({ metadata }) => metadata.uid).toSorted();
}
