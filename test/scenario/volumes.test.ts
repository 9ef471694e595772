import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterStatus } from "../../src/core/api/cluster-status.ts";
import { Clusters } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { PersistentVolumeClaims, Pods, StatefulSets, StorageClasses } from "#kit/kube/builtin";
import { startLoadProcess, type LoadProcess } from "../../src/programs/demo/load/load-process.ts";
import { findEndpoint } from "../../src/programs/demo/scenario.ts";
import { DEMO } from "../../src/programs/demo/steps/objects.ts";
import {
  createCluster,
  createDatabase,
  installOperator,
  upgradeCluster,
  upgradeOperator,
} from "../../src/programs/demo/steps/steps.ts";
import { deleteWebhooks, trustCertificateFirst } from "../../src/core/api/kubectl.ts";
import { ADMISSION_SECRET, OPERATOR_NAME, WEBHOOK_CONFIGURATION } from "../../src/core/api/names.ts";
import { bundleFor } from "../../src/core/releases/bundle/bundle.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";
import { startShell } from "../kit/world/shell.ts";
import { startStoryWorld } from "../kit/world/story-world.ts";
import { STORE } from "../kit/programs.ts";

const { namespace, cluster } = DEMO;
const REC = { name: cluster, namespace };
const CLUSTER = { apiVersion: "app.storeenterprise.io/v1", kind: "StoreEnterpriseCluster", metadata: REC };
/** What is said of a claim of the class, in our words and in those of Kubernetes. */
const NAMES_CLASS =
  /store-enterprise-storage-rec-\d is of storage class "local", and Kubernetes refuses it: .*storageclass.*must support resize/;
const PATIENCE = { withinMs: 120_000, everyMs: 20 };

await using play = await startStoryWorld();
await using type = startShell(process.cwd(), { ...process.env, KUBECONFIG: play.world.kubeconfig });
const { kube } = play.world;
const loads: LoadProcess[] = [];
let before: readonly string[] = [];
/** What the cluster has reported of itself while its volumes grew. */
const reports: {
  readonly state: string | undefined;
  readonly message: string | undefined;
  /** How many volumes have grown, while they do. */
  readonly progress: string | undefined;
}[] = [];
const watching = new AbortController();

await test("volumes grow while clients write, no pod restarts for it, and the upgrade afterwards works", () =>
  steps(play, {
    "a cluster serves clients": serve,
    "of a class whose volumes do not grow the webhook refuses the edit, and names the class": refuseAtOnce,
    "without a webhook the operator refuses it before anything has changed": refuse,
    "what the class allows begins at once, and the operator is killed where the StatefulSet is not there": growAndKill,
    "every volume has the size, no pod was replaced, and STATE was Running all the time": compare,
    "an upgrade and a second growth that are asked for together follow one another": upgrade,
    "no request failed, and nothing is lost": finish,
  })
    .catch(async (error: unknown) => {
      const { stdout } = await type.run(`kubectl get sts,pods; kubectl logs deployment/${OPERATOR_NAME} --tail=15`);
      throw new Error(`${play.said()}\n${stdout}`, { cause: error });
    })
    .finally(() => {
      for (const load of loads) load.kill();
    }));

async function serve(): Promise<void> {
  const { stage, older } = play;
  await installOperator(stage, bundleFor(older), older);
  await createCluster(stage, older);
  await createDatabase(stage, "7.2");
  loads.push(await startLoadProcess({ ...(await findEndpoint(stage, DEMO.database)), connections: 10, gapMs: 20 }));
  before = await nodePods();
}

async function refuseAtOnce(): Promise<void> {
  await allowGrowth(false);
  const name = WEBHOOK_CONFIGURATION;
  await type(`sed 's/OPERATOR_NAMESPACE/${namespace}/g' deploy/admission/webhook-template.yaml | kubectl create -f -`);
  await type(trustCertificateFirst(name, ADMISSION_SECRET));
  const edit = { ...CLUSTER, spec: { persistentSpec: { volumeSize: "30Gi" } } };
  const { code, stderr } = await type.run(`kubectl apply -f - <<< '${JSON.stringify(edit)}'`);
  assert.equal(code, 1);
  assert.match(stderr, /spec\.persistentSpec\.volumeSize: Forbidden: the volumes cannot grow from 20Gi to 30Gi: /);
  assert.match(stderr, NAMES_CLASS);
  assert.match(stderr, /kubectl patch storageclass local --type merge -p '{"allowVolumeExpansion":true}'/);
  const { spec, status } = (await kube.get(Clusters, REC)) ?? {};
  assert.deepEqual([spec?.persistentSpec?.volumeSize, status?.state, status?.findings], ["20Gi", "Running", []]);
  assert.deepEqual(await requested(), ["20Gi", "20Gi", "20Gi"]);
  await type(deleteWebhooks(name));
}

async function refuse(): Promise<void> {
  await ask({ persistentSpec: { volumeSize: "30Gi" } });
  const { status } = await rec("it is refused", (one) => one?.findings?.[0]?.id === "VolumeGrowthRefused");
  assert.equal(status?.state, "InvalidUpgrade");
  assert.match(status.findings?.[0]?.evidence ?? "", /from 20Gi to 30Gi/);
  assert.match(status.findings?.[0]?.evidence ?? "", NAMES_CLASS);
  assert.deepEqual(await requested(), ["20Gi", "20Gi", "20Gi"]);
  await ask({ persistentSpec: { volumeSize: "20Gi" } });
  await rec("it is taken back", (one) => one?.state === "Running" && one.findings?.length === 0);
}

async function growAndKill(): Promise<void> {
  await allowGrowth(true);
  void noteReports().catch((error: unknown) => {
    if (!watching.signal.aborted) throw error;
  });
  const resourceVersion = (await kube.get(StatefulSets, REC))?.metadata.resourceVersion ?? "";
  await ask({ persistentSpec: { volumeSize: "40Gi" } });
  await leavesPods(resourceVersion);
  assert.equal(await play.kill(`${STORE} operator`), 1);
}

/** Resolves when the StatefulSet is deleted, also when it is there again at once. */
async function leavesPods(resourceVersion: string): Promise<void> {
  const signal = AbortSignal.timeout(3 * PATIENCE.withinMs);
  for await (const event of kube.watch(StatefulSets, { namespace, resourceVersion, signal })) {
    if (event.type === "BOOKMARK") continue;
    if (event.type === "DELETED" || event.object.metadata.deletionTimestamp !== undefined) return;
  }
  assert.fail("the StatefulSet does not leave its pods");
}

async function compare(): Promise<void> {
  const isGrown = (status: Status): boolean =>
    status?.persistenceStatus?.status === "Provisioned" && status.persistenceStatus.volumeSize === "40Gi";
  const { status } = await rec("the volumes have grown", (one) => isGrown(one) && one?.state === "Running");
  assert.deepEqual(status?.persistenceStatus, { status: "Provisioned", succeeded: "3/3", volumeSize: "40Gi" });
  assert.deepEqual(await requested(), ["40Gi", "40Gi", "40Gi"]);
  assert.equal(await templateSize(), "40Gi");
  assert.deepEqual(await nodePods(), before);
  watching.abort();
  assert.deepEqual([...new Set(reports.map(({ state }) => state))], ["Running"]);
  const grown = reports.flatMap(({ progress = [] }) => progress);
  assert.deepEqual(grown, grown.toSorted(), "progress only grows");
  assert.ok(grown.length > 0, "the status has the progress");
  const said = new Set(reports.map(({ message }) => message));
  const remade = "the StatefulSet is gone and is made again with volumes of 40Gi; its pods stay";
  assert.ok(said.has(remade), [...said].join("\n"));
}

/** Adds to the reports, until it is aborted. */
async function noteReports(): Promise<void> {
  const resourceVersion = (await kube.get(Clusters, REC))?.metadata.resourceVersion ?? "";
  for await (const event of kube.watch(Clusters, { namespace, resourceVersion, signal: watching.signal })) {
    if (event.type === "BOOKMARK") continue;
    const { state, conditions = [], persistenceStatus } = event.object.status ?? {};
    const progress = persistenceStatus?.status === "Resizing" ? persistenceStatus.succeeded : undefined;
    reports.push({ state, message: conditions.find((one) => one.type === "Progressing")?.message, progress });
  }
}

async function upgrade(): Promise<void> {
  const { stage, releases, latest } = play;
  await upgradeOperator(stage, releases, latest);
  await ask({ persistentSpec: { volumeSize: "50Gi" } });
  await upgradeCluster(stage, latest);
  await rec("the volumes have grown", (one) => one?.persistenceStatus?.volumeSize === "50Gi");
  assert.deepEqual(await requested(), ["50Gi", "50Gi", "50Gi"]);
  assert.equal(await templateSize(), "50Gi");
  await ask({ persistentSpec: { volumeSize: "45Gi" } });
  const { status } = await rec("shrinking is refused", (one) => one?.findings?.[0]?.id === "VolumeSize");
  assert.match(status?.findings?.[0]?.evidence ?? "", /it is 45Gi, volumes never shrink.*50Gi/);
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

type Status = ClusterStatus | undefined;

async function rec(what: string, claim: (status: Status) => boolean) {
  let seen: { readonly status?: Status } | undefined;
  const holds = async (): Promise<boolean> => {
    seen = await kube.get(Clusters, REC);
    return claim(seen?.status);
  };
  await until(what, holds, PATIENCE).catch((error: unknown) => {
    throw new Error(`${String(error)}; ${JSON.stringify(seen?.status)}`);
  });
  return { status: seen?.status };
}

async function ask(spec: object): Promise<void> {
  await kube.patch(Clusters, REC, { type: "merge", body: { spec } });
}

async function allowGrowth(allowVolumeExpansion: boolean): Promise<void> {
  await kube.patch(StorageClasses, { name: "local" }, { type: "merge", body: { allowVolumeExpansion } });
}

async function requested(): Promise<readonly string[]> {
  const { items } = await kube.list(PersistentVolumeClaims, { namespace });
  return items.map(({ spec }) => spec?.resources?.requests?.["storage"] ?? "");
}

async function templateSize(): Promise<string | undefined> {
  const [template] = (await kube.get(StatefulSets, REC))?.spec?.volumeClaimTemplates ?? [];
  return template?.spec?.resources?.requests?.["storage"];
}

/** uid and restarts of each node pod. */
async function nodePods(): Promise<readonly string[]> {
  const { items } = await kube.list(Pods, { namespace, labelSelector: "storeenterprise.io/role=node" });
  return items
    .map(({ metadata, status }) => `${metadata.name} ${metadata.uid} ${status?.containerStatuses?.[0]?.restartCount}`)
    .toSorted();
}
