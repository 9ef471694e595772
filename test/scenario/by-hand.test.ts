import assert from "node:assert/strict";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import { tallyArchive } from "../kit/modules/module-archive.ts";
import { startModuleRepository } from "../kit/modules/module-repository.ts";
import { step, steps } from "../kit/scenario/step.ts";
import { startShell } from "../kit/world/shell.ts";
import { proves } from "../kit/specification/proves.ts";
import { applyBundle, readAccount, readImages, readOperator, reapplyAdmission } from "./by-hand-installing.ts";
import { readCluster, readFlags, readManagementApi, refuseVersions, uploadModule } from "./by-hand-reading.ts";
import {
  installOlder,
  latest,
  listOf,
  memoryOf,
  older,
  ROOT,
  startReleases,
  waitFor,
  type Scene,
} from "./by-hand-scene.ts";

// The procedure of the contract (§4.3), typed command by command by a reader who knows nothing else: bash, kubectl, curl.

test("operator, cluster and database are upgraded by hand, command by command", async () => {
  await using stack = new AsyncDisposableStack();
  const dir = stack.use(await mkdtempDisposable(join(tmpdir(), "by-hand-"))).path;
  const releases = stack.adopt(await startReleases(), (server) => server.close());
  const modules = stack.adopt(await startModuleRepository(), (server) => server.close());
  const type = stack.use(startShell(ROOT, { ...process.env, HOME: dir, STORE_LOCAL_DIR: dir, TZ: "UTC" }));
  stack.defer(async () => void (await type(`cd ${ROOT} && npm run -s storectl -- local down`)));
  const scene = { dir, releases, modules, type };
  await step("the older release is installed", () => installOlder(scene));
  await steps(scene, {
    "the cluster is read": readCluster,
    "the management API is read": readManagementApi,
    "a module is uploaded": uploadModule,
    "database versions that are not offered are refused": refuseVersions,
    "flags and versions are read by jsonpath": readFlags,
    "the bundle of the latest release is applied": applyBundle,
    "admission is reapplied": reapplyAdmission,
    "the operator is ready": readOperator,
    "the operator acts as its account": readAccount,
    "management is suspended, and an edit of a database waits": suspend,
    "a database is upgraded through the API": upgradeThroughApi,
    "the cluster is upgraded, and lists a module": upgradeCluster,
    "the waiting edit is applied": applyWaitingEdit,
    "the change through the API is kept": keepApiChange,
    "the database is upgraded": upgradeDatabase,
    "every image is of the private registry": readImages,
  });
});

const NODES = "kubectl get pods -l storeenterprise.io/role=node";
/** Generation of an object, and that which the operator has seen of it while management is suspended. */
const SEEN = `{.metadata.generation} {.status.conditions[?(@.type=="ReconcileSuspended")].observedGeneration}`;
const IMAGE = "kubectl get statefulset rec -o jsonpath='{.spec.template.spec.containers[0].image}'";

async function suspend({ type }: Scene): Promise<void> {
  await type("kubectl wait rec/rec --for=condition=ReconcileSuspended --timeout=30s");
  await type(`kubectl patch redb orders --type merge -p '{"spec":{"memorySize":"300MB"}}'`);
  proves(
    "§1.1 operator newer than its cluster → management of REC and REDBs is suspended until the REC is upgraded",
    "the condition ReconcileSuspended of REC and REDB, the REDB being edited",
  ).match(
    await type("kubectl wait rec/rec redb/orders --for=condition=ReconcileSuspended --timeout=30s"),
    /^storeenterprisecluster\S* condition met\nstoreenterprisedatabase\S* condition met$/,
  );
  await waitFor(async () => new Set((await type(`kubectl get redb orders -o jsonpath='${SEEN}'`)).split(" ")).size, 1);
  proves(
    "§1.2 a REDB edited during an upgrade waits, and is applied when the upgrade ends",
    "memory of the database in `GET /v1/bdbs` once the operator has seen the edit: the old one",
  ).equal(memoryOf(await type("api /v1/bdbs")), 256_000_000);
  proves(
    "§2.2 autoUpgradeStoreEnterprise true → the REC follows the operator; false → by hand",
    "false: the tag of the nodes after the operator was upgraded is the old one",
  ).match(await type(IMAGE), new RegExp(`:${older.nodeTag}$`));
}

async function upgradeThroughApi({ type }: Scene): Promise<void> {
  const json = "-H 'Content-Type: application/json'";
  const accepted = await type(`api /v1/bdbs/1/upgrade -w ' %{http_code}' ${json} -d '{"store_version":"7.4"}'`);
  assert.match(accepted, / 200$/, accepted);
  await proves(
    "§4.2 POST /v1/bdbs/<uid>/upgrade takes store_version",
    "the version of the database in `GET /v1/bdbs` after the call: the one asked for",
  ).until(async () => listOf(await type("api /v1/bdbs"))[0]?.["redis_version"] === "7.4", {
    withinMs: 60_000,
    everyMs: 200,
  });
}

async function upgradeCluster(scene: Scene): Promise<void> {
  const { type } = scene;
  const pods = await type(`${NODES} -o jsonpath='{.items[*].metadata.uid}'`);
  await editCluster(scene);
  proves(
    "§3 changed tag, roll in progress → Upgrade, followed by rollout status",
    "status.state right after the edit: `kubectl wait` for Upgrade",
  ).match(await type("kubectl wait rec/rec --for=jsonpath='{.status.state}'=Upgrade --timeout=30s"), /condition met$/);
  const { stdout: watched } = await type.run("kubectl rollout status sts rec --timeout=180s");
  proves(
    "§4.1 the roll is watched with rollout status sts",
    "its lines: the updated pods while it waits, and that it is complete",
  ).match(watched, /^(?=[^]*(?:[Ww]aiting for|partitioned roll out)[^]*)[^]*complete[^]*$/);
  proves("§4.3.8 STATE becomes Running", "`kubectl wait` for Running after the roll").match(
    await type("kubectl wait rec/rec --for=jsonpath='{.status.state}'=Running --timeout=60s"),
    /condition met$/,
  );
  proves(
    "§1.4 the REC is upgraded automatically or by hand",
    "by hand: VERSION and STATE of `kubectl get rec` after the edit of the tag",
  ).match(await type("kubectl get rec rec --no-headers"), new RegExp(`^rec +3 +${latest.nodeTag} +Running +Valid`));
  const after = await type(`${NODES} -o jsonpath='{.items[*].metadata.uid}'`);
  proves(
    "§2.2 a changed versionTag starts the rolling upgrade",
    "uids of the node pods: not one is of before the edit",
  ).deepEqual(
    after.split(" ").filter((uid) => pods.includes(uid)),
    [],
  );
  proves(
    "§1 operator, cluster, databases: in this order, each rolling",
    "version of the database while operator and cluster are new: the old one",
  ).equal(listOf(await type("api /v1/bdbs"))[0]?.["redis_version"], "7.4");
}

/** The tag and a module of a server with credentials, in one edit. */
async function editCluster({ dir, modules, type }: Scene): Promise<void> {
  modules.put("tally.zip", await tallyArchive({ version: "1.1.0", compatible: "7.2" }));
  await using stack = new AsyncDisposableStack();
  const kube = stack.adopt(connect(loadKubeConfig({ KUBECONFIG: join(dir, "kubeconfig") })), (open) => open.close());
  await modules.admit(kube, "default", "module-login");
  const listed = {
    name: "Tally",
    source: { https: { url: modules.url("tally.zip") } },
    credentialsSecret: "module-login",
  };
  const tag = `-e 's/versionTag: .*/versionTag: ${latest.nodeTag}/'`;
  const list = `-e '/^spec:/a\\  userDefinedModules: [${JSON.stringify(listed)}]'`;
  await writeFile(join(dir, "editor"), `#!/bin/sh\nexec sed -i ${tag} ${list} "$1"\n`, { mode: 0o700 });
  await type(`KUBE_EDITOR=${dir}/editor kubectl edit rec rec`);
  const edited = await type("kubectl get rec rec -o jsonpath='{.spec.storeEnterpriseImageSpec.versionTag}'");
  const [read] = listOf(await type("kubectl get rec rec -o jsonpath='{.spec.userDefinedModules}'"));
  proves(
    "§4.1 the cluster is edited with edit rec, its tag and modules",
    "tag and modules that are stored after `kubectl edit`",
  ).deepEqual([edited, read], [latest.nodeTag, listed]);
  proves("§4.1 the user-defined modules are read by jsonpath", "what jsonpath prints, as JSON").deepEqual(read, listed);
}

async function applyWaitingEdit({ type }: Scene): Promise<void> {
  const applied = async (): Promise<boolean> => memoryOf(await type("api /v1/bdbs")) === 300_000_000;
  const patience = { withinMs: 60_000, everyMs: 200 };
  await proves(
    "§3 Upgrade, cluster ready to use → Running, and management resumes",
    "the edit that waited, in `GET /v1/bdbs`",
  ).until(applied, patience);
  proves(
    "§1.2 a REDB edited during an upgrade waits, and is applied when the upgrade ends",
    "memory of the database in `GET /v1/bdbs` after the roll: the new one",
  ).equal(memoryOf(await type("api /v1/bdbs")), 300_000_000);
  const suspended = '{.status.conditions[?(@.type=="ReconcileSuspended")].status}';
  proves(
    "§1.1 operator newer than its cluster → management of REC and REDBs is suspended until the REC is upgraded",
    "the condition ReconcileSuspended of the REC after the roll",
  ).equal(await type(`kubectl get rec rec -o jsonpath='${suspended}'`), "False");
  const installed = "{range .status.userModules[*]}{.name} {.state} {.version}{end}";
  proves(
    "§4.1 the cluster is edited with edit rec, its tag and modules",
    "state and version of the module that was listed by `kubectl edit`",
  ).equal(await type(`kubectl get rec rec -o jsonpath='${installed}'`), "Tally Installed 1.1.0");
}

async function keepApiChange({ type }: Scene): Promise<void> {
  const [orders] = listOf(await type("api /v1/bdbs"));
  proves(
    "§1.2 a database changed through the API during an upgrade keeps the change; the CR is to say the same",
    "version of the database in `GET /v1/bdbs` once management is back, while the CR says 7.2",
  ).equal(orders?.["redis_version"], "7.4");
  const drifted = "kubectl wait redb/orders --for=condition=Drifted";
  await type(`${drifted} --timeout=30s`);
  await type(`kubectl patch redb orders --type merge -p '{"spec":{"storeVersion":"7.4"}}'`);
  proves(
    "§1.2 a database changed through the API during an upgrade keeps the change; the CR is to say the same",
    "the condition Drifted: true until the CR says the same, false then",
  ).match(await type(`${drifted}=False --timeout=60s`), /condition met$/);
  await type("kubectl wait redb/orders --for=condition=Ready --timeout=60s");
}

async function upgradeDatabase({ type }: Scene): Promise<void> {
  await type(`kubectl patch redb orders --type merge -p '{"spec":{"storeVersion":"8.0"}}'`);
  await type(
    "kubectl wait redb/orders --for=jsonpath='{.status.observedGeneration}'=$(kubectl get redb orders -o jsonpath='{.metadata.generation}') --timeout=60s",
  );
  await type("kubectl wait redb/orders --for=condition=Ready --timeout=60s");
  const [orders] = listOf(await type("api /v1/bdbs"));
  proves(
    "§4.3.9 storeVersion upgrades a REDB",
    "version of the database in `GET /v1/bdbs` after the edit of storeVersion",
  ).equal(orders?.["redis_version"], "8.0");
  proves(
    "§2.3 storeVersion is where the current version is read",
    "spec.storeVersion by jsonpath after the upgrade, against `GET /v1/bdbs`",
  ).equal(await type("kubectl get redb orders -o jsonpath='{.spec.storeVersion}'"), orders?.["redis_version"]);
  assert.match(await type("kubectl get redb orders -o jsonpath='{.status.version}'"), /^8\.0/);
}
