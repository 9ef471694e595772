import assert from "node:assert/strict";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OPERATOR_NAME } from "../../../src/core/api/names.ts";
import { Databases } from "../../../src/mechanisms/observe/kubernetes/kinds.ts";
import { DEMO } from "../../../src/programs/demo/steps/objects.ts";
import {
  createCluster,
  createDatabase,
  upgradeCluster,
  upgradeDatabase,
} from "../../../src/programs/demo/steps/steps.ts";
import { until } from "#kit/testing/until";
import { bindKubectl, type Kubectl } from "../../kit/kubernetes/kubectl.ts";
import { proves } from "../../kit/specification/proves.ts";
import { assertUnharmed, underLoad } from "./load.ts";
import type { Scene } from "./scene.ts";
import { settled } from "./whereabouts.ts";

const PATIENCE = { withinMs: 120_000, everyMs: 500 };

type Helm = (line: string) => Promise<void>;

/**
 * Installs the chart of the previous kept release, upgrades operator, cluster and database under load from a pod with a rollback of the
 * operator in between, and uninstalls around a cluster that goes on.
 */
export async function helmLifecycle(scene: Scene): Promise<void> {
  const { kubectl, cluster, stage } = scene;
  using charts = mkdtempDisposableSync(join(tmpdir(), "charts-"));
  const binary = { path: join(cluster.controlPlane.assets, "helm"), version: "" };
  const helm = lasting(bindKubectl(binary, cluster.kubeconfig, charts.path));
  await installOlder(scene, helm, charts.path);
  assertUnharmed(await underLoad(scene, "node1", () => upgradeAll(scene, helm)));
  await kubectl("delete pod load --grace-period=0 --force");
  await settled(scene);

  const uids = await podUids(scene);
  await helm("uninstall store --wait --timeout 90s");
  assert.equal(await podUids(scene), uids, "nodes go on without an operator");
  assert.equal(await definitionRelease(scene), scene.latest.operator);

  await helm("install store deploy/chart --wait --timeout 90s");
  await stage.kube.delete(Databases, { name: DEMO.database, namespace: DEMO.namespace });
  const { code, stderr } = await kubectl.run("delete rec --all --timeout=90s", [], { timeoutMs: 100_000 });
  assert.equal(code, 0, stderr);
  await helm("uninstall store --wait --timeout 90s");
  const left = (): Promise<string> =>
    kubectl("get all,clusterroles,clusterrolebindings -l app=store-enterprise -o name");
  await until("nothing is left", async () => (await left()).trim() === "", PATIENCE);
}

async function installOlder(scene: Scene, helm: Helm, folder: string): Promise<void> {
  const { release: older, version, chart } = scene.origins.previous;
  scene.say(`from ${version}, which runs as ${older.operator}`);
  await helm(`install store ${await chart(join(folder, "older-chart"))} --wait --timeout 90s`);
  proves("§1.5 the operator comes by Helm", "on real nodes: image of the operator after `helm install --wait`").equal(
    await operatorImage(scene),
    `storeenterprise/operator:${older.operator}`,
  );
  await createCluster(scene.stage, older);
  await createDatabase(scene.stage, "7.2");
  assert.equal(await definitionRelease(scene), older.operator);
}

async function upgradeAll(scene: Scene, helm: Helm): Promise<void> {
  const { latest, stage } = scene;
  const { release: older } = scene.origins.previous;
  await helm("upgrade store deploy/chart --wait --timeout 90s");
  proves(
    "§4.1 helm upgrade handles operator and CRDs; distro.mode for the distribution",
    "on real nodes: image of the operator that runs, and release of the definition, after `helm upgrade --wait`",
  ).deepEqual(
    [await operatorImage(scene), await definitionRelease(scene)],
    [`storeenterprise/operator:${latest.operator}`, latest.operator],
  );
  await untilReason(scene, "ReconcileSuspended", "True");

  await helm("rollback store 1 --wait --timeout 90s");
  assert.equal(await operatorImage(scene), `storeenterprise/operator:${older.operator}`);
  assert.equal(await definitionRelease(scene), latest.operator);
  await untilReason(scene, "ReconcileSuspended", "False");
  await untilState(scene, "Running");

  await helm("upgrade store deploy/chart --wait --timeout 90s");
  await upgradeCluster(stage, latest);
  await upgradeDatabase(stage, "8.0");
}

/** A call that may take as long as `--wait` does. */
function lasting(helm: Kubectl): Helm {
  return async (line) => {
    const { code, stdout, stderr } = await helm.run(line, [], { timeoutMs: 120_000 });
    assert.equal(code, 0, `helm ${line}: ${stderr}${stdout}`);
  };
}

function operatorImage({ kubectl }: Scene): Promise<string> {
  return kubectl(`get deployment ${OPERATOR_NAME} -o`, "jsonpath={.spec.template.spec.containers[0].image}");
}

function podUids({ kubectl }: Scene): Promise<string> {
  return kubectl("get pods -l storeenterprise.io/role=node -o", "jsonpath={.items[*].metadata.uid}");
}

async function definitionRelease({ kubectl }: Scene): Promise<string> {
  const path = "jsonpath={.metadata.annotations.storeenterprise\\.io/release}";
  return kubectl("get crd storeenterpriseclusters.app.storeenterprise.io -o", path);
}

async function untilState({ kubectl }: Scene, state: string): Promise<void> {
  const now = (): Promise<string> => kubectl(`get rec ${DEMO.cluster} -o`, "jsonpath={.status.state}");
  await until(`the cluster is ${state}`, async () => (await now()) === state, PATIENCE);
}

async function untilReason({ kubectl }: Scene, type: string, status: string): Promise<void> {
  const path = `jsonpath={.status.conditions[?(@.type=="${type}")].status}`;
  const now = (): Promise<string> => kubectl(`get rec ${DEMO.cluster} -o`, path);
  await until(`${type} is ${status}`, async () => (await now()) === status, PATIENCE);
}
