import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { OPERATOR_NAME } from "../../../src/core/api/names.ts";
import { DEMO, demoCluster } from "../../../src/programs/demo/steps/objects.ts";
import { chartFor } from "../../../src/core/releases/bundle/chart.ts";
import type { Release } from "../../../src/core/releases/catalogue/release.ts";
import { until } from "../../kit/time/until.ts";
import { bindKubectl, type Kubectl } from "../../kit/kubernetes/kubectl.ts";
import { proves } from "../../kit/specification/proves.ts";
import type { Scene } from "./scene.ts";

const PATIENCE = { withinMs: 120_000, everyMs: 500 };
const CLUSTER = "app.storeenterprise.io/v1";

/** Install, upgrade, rollback and uninstall by Helm, around a cluster that goes on. */
export async function helmLifecycle(scene: Scene): Promise<void> {
  const { kubectl, cluster, older, latest } = scene;
  using charts = mkdtempDisposableSync(join(tmpdir(), "charts-"));
  const folder = charts.path;
  const binary = { path: join(cluster.controlPlane.assets, "helm"), version: "" };
  const helm = lasting(bindKubectl(binary, cluster.kubeconfig, folder));
  const old = chartOf(older, folder);
  await helm(`install store ${old} --wait --timeout 90s`);
  proves("§1.5 the operator comes by Helm", "on real nodes: image of the operator after `helm install --wait`").equal(
    await operatorImage(scene),
    `storeenterprise/operator:${older.operator}`,
  );
  const { spec } = demoCluster(older.nodeTag);
  const metadata = { name: DEMO.cluster };
  await kubectl.given(
    JSON.stringify({ apiVersion: CLUSTER, kind: "StoreEnterpriseCluster", metadata, spec }),
    "apply -f -",
  );
  await untilState(scene, "Running");
  assert.equal(await definitionRelease(scene), older.operator);

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
  const uids = await podUids(scene);
  await helm("uninstall store --wait --timeout 90s");
  assert.equal(await podUids(scene), uids, "nodes go on without an operator");
  assert.equal(await definitionRelease(scene), latest.operator);

  await helm("install store deploy/chart --wait --timeout 90s");
  const { code, stderr } = await kubectl.run("delete rec --all --timeout=90s", [], { timeoutMs: 100_000 });
  assert.equal(code, 0, stderr);
  await helm("uninstall store --wait --timeout 90s");
  const left = (): Promise<string> =>
    kubectl("get all,clusterroles,clusterrolebindings -l app=store-enterprise -o name");
  await until("nothing is left", async () => (await left()).trim() === "", PATIENCE);
}

/** A call that may take as long as `--wait` does. */
function lasting(helm: Kubectl): (line: string) => Promise<void> {
  return async (line) => {
    const { code, stdout, stderr } = await helm.run(line, [], { timeoutMs: 120_000 });
    assert.equal(code, 0, `helm ${line}: ${stderr}${stdout}`);
  };
}

function chartOf(release: Release, folder: string): string {
  const target = join(folder, `chart-${release.operator}`);
  cpSync("deploy/chart", target, { recursive: true });
  for (const { path, text } of chartFor(release)) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text);
  }
  return target;
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
