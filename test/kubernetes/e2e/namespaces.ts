import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { DEMO, demoCluster } from "../../../src/programs/demo/steps/objects.ts";
import { until } from "#kit/testing/until";
import type { Scene } from "./scene.ts";

const NAMESPACE = "team-a";
const PATIENCE = { withinMs: 120_000, everyMs: 500 };

/** A further namespace is added while the operator runs, left alone once it is taken from the list, and taken up again. */
export async function furtherNamespace(scene: Scene): Promise<void> {
  const { kubectl, latest } = scene;
  await kubectl(`create namespace ${NAMESPACE}`);
  const access = readFileSync("deploy/watched-namespace.yaml", "utf8")
    .replaceAll("OPERATOR_NAMESPACE", DEMO.namespace)
    .replaceAll("WATCHED_NAMESPACE", NAMESPACE);
  await kubectl.given(access, "apply -f -");
  await watch(scene, NAMESPACE);
  const cluster = { apiVersion: "app.storeenterprise.io/v1", kind: "StoreEnterpriseCluster" };
  const { spec } = demoCluster(latest.nodeTag);
  const metadata = { name: DEMO.cluster, namespace: NAMESPACE };
  await kubectl.given(JSON.stringify({ ...cluster, metadata, spec }), "apply -f -");
  const state = (): Promise<string> =>
    kubectl(`get rec ${DEMO.cluster} -n ${NAMESPACE} -o`, "jsonpath={.status.state}");
  await until("the cluster there runs", async () => (await state()) === "Running", PATIENCE);

  await watch(scene, "");
  await until("the operator manages its own alone", async () => !(await watched(scene)).includes(NAMESPACE), PATIENCE);
  await kubectl(
    `patch rec ${DEMO.cluster} -n ${NAMESPACE} --type=merge -p`,
    '{"spec":{"extraLabels":{"seen":"later"}}}',
  );
  const own = '{"spec":{"extraLabels":{"seen":"now"}}}';
  await kubectl(`patch rec ${DEMO.cluster} --type=merge -p`, own);
  await until("the own cluster is acted on", () => isSeen(scene, DEMO.namespace), PATIENCE);
  assert.equal(await isSeen(scene, NAMESPACE), false);
  assert.equal(await kubectl(`get sts ${DEMO.cluster} -n ${NAMESPACE} -o`, "jsonpath={.status.readyReplicas}"), "3");

  await watch(scene, NAMESPACE);
  await until("the cluster there is acted on again", () => isSeen(scene, NAMESPACE), PATIENCE);
  const { code, stderr } = await kubectl.run(`delete rec --all -n ${NAMESPACE} --timeout=90s`, [], {
    timeoutMs: 100_000,
  });
  assert.equal(code, 0, stderr);
  await kubectl("delete configmap operator-environment-config");
  const gone = await kubectl.run(`delete namespace ${NAMESPACE} --timeout=60s`, [], { timeoutMs: 70_000 });
  assert.equal(gone.code, 0, gone.stderr);
}

async function watch({ kubectl }: Scene, namespaces: string): Promise<void> {
  const metadata = { name: "operator-environment-config", namespace: DEMO.namespace };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { REDB_NAMESPACES: namespaces } };
  await kubectl.given(JSON.stringify(object), "apply -f -");
}

/** What the condition of the own cluster says of the namespaces that are managed. */
async function watched({ kubectl }: Scene): Promise<string> {
  return kubectl(`get rec ${DEMO.cluster} -o`, 'jsonpath={.status.conditions[?(@.type=="NamespacesWatched")].message}');
}

async function isSeen({ kubectl }: Scene, namespace: string): Promise<boolean> {
  const fields = "jsonpath={.metadata.generation} {.status.observedGeneration}";
  const [generation, observed] = (await kubectl(`get rec ${DEMO.cluster} -n ${namespace} -o`, fields)).split(" ");
  return generation === observed;
}
