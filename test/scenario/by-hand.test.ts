import assert from "node:assert/strict";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tallyArchive } from "../kit/modules/module-archive.ts";
import { step, steps } from "../kit/scenario/step.ts";
import { startShell } from "../kit/world/shell.ts";
import { scenario } from "../specification/rule.ts";
import {
  installOlder,
  latest,
  listOf,
  memoryOf,
  older,
  recordOf,
  ROOT,
  startReleases,
  waitFor,
  type Scene,
} from "./by-hand-scene.ts";

// The procedure of the contract (§4.3), typed command by command by a reader who knows nothing else: bash, kubectl, curl.

scenario(
  "operator, cluster and database are upgraded by hand, command by command",
  [
    "§4.1 the cluster is read with get rec",
    "§2.4 columns of the cluster listing",
    "§8 SHARDS LIMIT shows the licence's limit",
    "§5 the management API takes HTTP Basic over HTTPS, and nothing without",
    "§4.2 GET /v1/modules lists name-version-platform of each module",
    "§2.5 module records have module_name, semantic_version and platforms",
    "§2.5 database records have a module_list of names and versions",
    "§4.2 GET /v1/bdbs shows the modules in use",
    "§4.2 POST /v2/modules takes one archive in the form field module",
    "§9 database versions 7.2, 7.4, 8.0 and 8.2",
    "§4.1 the automatic-upgrade flag is read by jsonpath",
    "§4.1 the user-defined modules are read by jsonpath",
    "§2.3 storeVersion is where the current version is read",
    "§4.1 the tag of the latest release is read from tag_name",
    "§4.1 bundle.yaml and distro.bundle.yaml are fetched by release tag",
    "§4.1 applying the bundle prints a line for each resource",
    "§4.3.3 the bundle is applied; images of a private registry are taken from where the spec points",
    "§1.5 the operator comes by a bundle file",
    "§2.1 short names rec, redb and reaadb; Deployment, Role, account and binding are all store-enterprise-operator",
    "§2.1 definitions storeenterpriseclusters and storeenterprisedatabases of the API group",
    "§4.3.4 admission is reapplied step by step",
    "§4.1 the old webhook is deleted by name",
    "§4.1 the new webhook file is applied",
    "§4.1 the webhook's secret is there, its certificate readable",
    "§4.1 the webhook is created from its template, OPERATOR_NAMESPACE replaced",
    "§4.1 the webhook is patched with the certificate",
    "§2.1 the admission webhook is store-enterprise-admission; redb-admission is its old name",
    "§2.1 secret admission-tls is Opaque and has two items, one of them cert",
    "§5 caBundle is the certificate of admission-tls",
    "§9 redb-admission gives way to the new webhook",
    "§4.1 the operator Deployment shows READY 1/1",
    "§4.3.5 the operator Deployment is ready",
    "§2.4 columns of the operator listing",
    "§5 the operator acts as its service account, bound by its binding",
    "§1.1 operator newer than its cluster → management of REC and REDBs is suspended until the REC is upgraded",
    "§1.2 a REDB edited during an upgrade waits, and is applied when the upgrade ends",
    "§2.2 autoUpgradeStoreEnterprise true → the REC follows the operator; false or unset → by hand",
    "§1.2 a database changed through the API during an upgrade keeps the change; the CR is to say the same",
    "§4.2 POST /v1/bdbs/<uid>/upgrade takes store_version",
    "§1 operator, cluster, databases: in this order, each rolling",
    "§1.4 the REC is upgraded automatically or by hand",
    "§2.2 a changed versionTag starts the rolling upgrade",
    "§3 changed tag, roll in progress → Upgrade, followed by rollout status",
    "§3 Upgrade, cluster ready to use → Running, and management resumes",
    "§4.1 the cluster is edited with edit rec, its tag and modules",
    "§4.1 the roll is watched with rollout status sts",
    "§4.3.8 STATE becomes Running",
    "§4.3.9 storeVersion upgrades a REDB",
  ],
  async () => {
    await using stack = new AsyncDisposableStack();
    const dir = stack.use(await mkdtempDisposable(join(tmpdir(), "by-hand-"))).path;
    const releases = stack.adopt(await startReleases(), (server) => server.close());
    const type = stack.use(startShell(ROOT, { ...process.env, HOME: dir, STORE_LOCAL_DIR: dir, TZ: "UTC" }));
    stack.defer(async () => void (await type(`cd ${ROOT} && npm run -s storectl -- local down`)));
    const scene = { dir, releases, type };
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
      "management is suspended, and an edit of a database waits": suspend,
      "a database is upgraded through the API": upgradeThroughApi,
      "the cluster is upgraded": upgradeCluster,
      "the waiting edit is applied": applyWaitingEdit,
      "the change through the API is kept": keepApiChange,
      "the database is upgraded": upgradeDatabase,
    });
  },
);

async function readCluster({ type }: Scene): Promise<void> {
  const [head = "", row = ""] = (await type("kubectl get rec")).split("\n");
  assert.deepEqual(
    head.split(/ {2,}/).map((column) => column.trim()),
    [
      "NAME",
      "NODES",
      "VERSION",
      "STATE",
      "SPEC STATUS",
      "LICENSE STATE",
      "SHARDS LIMIT",
      "LICENSE EXPIRATION DATE",
      "AGE",
    ],
  );
  assert.match(row, /^rec +3 +7\.22\.2-14 +Running +Valid +Valid +4 +\d{4}-\d\d-\d\dT[\d:]+Z +\d+s$/);
}

async function readManagementApi({ type }: Scene): Promise<void> {
  await type("export REC_USER=$(kubectl get secret rec -o jsonpath='{.data.username}' | base64 -d)");
  await type("export REC_PASSWORD=$(kubectl get secret rec -o jsonpath='{.data.password}' | base64 -d)");
  await type(
    'api() { curl -sSk -u "$REC_USER:$REC_PASSWORD" "${@:2}" https://$(kubectl get pod rec-0 -o jsonpath=\'{.status.podIP}\'):9443$1; }',
  );
  const refused = await type("REC_PASSWORD=wrong api /v1/modules -w ' %{http_code}'");
  assert.match(refused, /unauthorized.* 401$/s);

  for (const module of listOf(await type("api /v1/modules"))) {
    assert.equal(typeof module["module_name"], "string");
    assert.match(String(module["semantic_version"]), /^\d+\.\d+\.\d+$/);
    assert.match(Object.keys(Object(module["platforms"])).join(), /^\w+\/x86_64|^\w+\/aarch64/);
  }
  const [orders] = listOf(await type("api /v1/bdbs"));
  assert.equal(orders?.["name"], "orders");
  assert.ok(Array.isArray(orders["module_list"]));
}

async function uploadModule({ dir, type }: Scene): Promise<void> {
  await writeFile(join(dir, "tally.zip"), await tallyArchive({ compatible: "7.2" }));
  const refused = await type("api /v2/modules -w ' %{http_code}' -F archive=@tally.zip");
  assert.match(refused, /module.* 400$/s);
  const accepted = await type("api /v2/modules -w ' %{http_code}' -F module=@tally.zip");
  assert.match(accepted, / 200$/, accepted);
  const { action_uid: action } = recordOf(accepted.replace(/ 200$/, ""));
  await waitFor(async () => recordOf(await type(`api /v1/actions/${String(action)}`))["status"], "completed");
  const names = listOf(await type("api /v1/modules")).flatMap(({ module_name, semantic_version, platforms }) =>
    Object.keys(Object(platforms)).map((platform) => [module_name, semantic_version, platform].join("-")),
  );
  assert.ok(
    names.some((name) => /^tally-1\.0\.0-rhel9\/\w+$/.test(name)),
    names.join(),
  );
}

async function refuseVersions({ type }: Scene): Promise<void> {
  for (const version of ["6.2", "7.0", "8.4"]) {
    const refused = await type.run(
      `kubectl patch redb orders --type merge -p '{"spec":{"storeVersion":"${version}"}}'`,
    );
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /spec\.storeVersion: .*"7\.2", "7\.4", "8\.0", "8\.2"/);
  }
  assert.match(await type("kubectl explain redb.spec.storeVersion"), /ENUM:\n +7\.2\n +7\.4\n +8\.0\n +8\.2\n/);
}

async function readFlags({ type }: Scene): Promise<void> {
  assert.equal(await type("kubectl get rec rec -o jsonpath='{.spec.autoUpgradeStoreEnterprise}'"), "");
  assert.equal(await type("kubectl get rec rec -o jsonpath='{.spec.userDefinedModules}'"), "");
  assert.equal(await type("kubectl get redb orders -o jsonpath='{.spec.storeVersion}'"), "7.2");
  await type(`kubectl patch rec rec --type merge -p '{"spec":{"autoUpgradeStoreEnterprise":false}}'`);
  assert.equal(await type("kubectl get rec rec -o jsonpath='{.spec.autoUpgradeStoreEnterprise}'"), "false");
}

async function applyBundle({ type, releases }: Scene): Promise<void> {
  const answer: unknown = JSON.parse(await type(`curl -fsS ${releases.releasesApiUrl}`));
  const tag = String(Object(answer).tag_name);
  await type(`curl -fsS -o bundle.yaml ${releases.bundleBaseUrl}/${tag}/bundle.yaml`);
  const lines = (await type("kubectl apply -f bundle.yaml")).split("\n");
  for (const line of [
    "role.rbac.authorization.k8s.io/store-enterprise-operator",
    "serviceaccount/store-enterprise-operator",
    "rolebinding.rbac.authorization.k8s.io/store-enterprise-operator",
    "customresourcedefinition.apiextensions.k8s.io/storeenterpriseclusters.app.storeenterprise.io",
    "customresourcedefinition.apiextensions.k8s.io/storeenterprisedatabases.app.storeenterprise.io",
    "deployment.apps/store-enterprise-operator",
  ]) {
    assert.match(lines.find((printed) => printed.startsWith(`${line} `)) ?? "", / (configured|unchanged)$/, line);
  }
}

async function reapplyAdmission({ type }: Scene): Promise<void> {
  const kind = "ValidatingWebhookConfiguration";
  assert.match(await type(`kubectl delete ${kind} redb-admission`), /"redb-admission" deleted/);
  assert.match(await type(`kubectl apply -f ${ROOT}/deploy/admission/webhook.yaml`), /^service\/admission \w+$/);
  assert.match(await type("kubectl get secret admission-tls"), /admission-tls +Opaque +2 /);
  await type("CERT=$(kubectl get secret admission-tls -o jsonpath='{.data.cert}')");
  const template = `${ROOT}/deploy/admission/webhook-template.yaml`;
  const created = await type(`sed 's/OPERATOR_NAMESPACE/default/g' ${template} | kubectl create -f -`);
  assert.match(created, /store-enterprise-admission created$/);
  const webhook = `{"name":"storeenterprise.admission.storeenterprise","clientConfig":{"caBundle":"'"$CERT"'"}}`;
  await type(`kubectl patch ${kind} store-enterprise-admission -p '{"webhooks":[${webhook}]}'`);
  const caBundle = "-o jsonpath='{.webhooks[0].clientConfig.caBundle}'";
  assert.equal(await type(`kubectl get ${kind} store-enterprise-admission ${caBundle}`), await type('echo "$CERT"'));
}

async function readOperator({ type }: Scene): Promise<void> {
  await type("kubectl rollout status deployment/store-enterprise-operator --timeout=60s");
  const [head = "", row = ""] = (await type("kubectl get deployment/store-enterprise-operator")).split("\n");
  assert.deepEqual(head.split(/ +/), ["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE"]);
  assert.match(row, /^store-enterprise-operator +1\/1 +1 +1 /);
  const account = "system:serviceaccount:default:store-enterprise-operator";
  assert.equal(await type(`kubectl auth can-i watch storeenterpriseclusters --as ${account}`), "yes");
  const without = await type.run(`kubectl auth can-i get nodes --as ${account}`);
  assert.match(without.stdout, /^no/, "and nothing that it does not need");
  const refused = await type.run(`kubectl patch redb orders --type merge -p '{"spec":{"memorySize":"1MB"}}'`);
  assert.match(refused.stderr, /"orders" is invalid: spec\.memorySize: Invalid value: "1MB": .*at least 100MB/);
}

async function suspend({ type }: Scene): Promise<void> {
  await type("kubectl wait rec/rec --for=condition=ReconcileSuspended --timeout=30s");
  const before = await type("kubectl get statefulset rec -o jsonpath='{.spec.template.spec.containers[0].image}'");
  assert.match(before, new RegExp(`:${older.nodeTag}$`), "nothing moves unasked");
  await type(`kubectl patch redb orders --type merge -p '{"spec":{"memorySize":"300MB"}}'`);
  await type("kubectl wait redb/orders --for=condition=ReconcileSuspended --timeout=30s");
  assert.equal(memoryOf(await type("api /v1/bdbs")), 256_000_000);
}

async function upgradeThroughApi({ type }: Scene): Promise<void> {
  const json = "-H 'Content-Type: application/json'";
  const accepted = await type(`api /v1/bdbs/1/upgrade -w ' %{http_code}' ${json} -d '{"store_version":"7.4"}'`);
  assert.match(accepted, / 200$/, accepted);
  await waitFor(async () => listOf(await type("api /v1/bdbs"))[0]?.["redis_version"], "7.4");
}

async function upgradeCluster({ type }: Scene): Promise<void> {
  const pods = await type("kubectl get pods -l storeenterprise.io/role=node -o jsonpath='{.items[*].metadata.uid}'");
  await type(`EDITOR="sed -i 's/versionTag: .*/versionTag: ${latest.nodeTag}/'" kubectl edit rec rec`);
  await type("kubectl wait rec/rec --for=jsonpath='{.status.state}'=Upgrade --timeout=30s");
  assert.match(await type("kubectl rollout status sts rec --timeout=180s"), /complete/);
  await type("kubectl wait rec/rec --for=jsonpath='{.status.state}'=Running --timeout=60s");
  assert.match(
    await type("kubectl get rec rec --no-headers"),
    new RegExp(`^rec +3 +${latest.nodeTag} +Running +Valid`),
  );
  const after = await type("kubectl get pods -l storeenterprise.io/role=node -o jsonpath='{.items[*].metadata.uid}'");
  assert.equal(after.split(" ").filter((uid) => pods.includes(uid)).length, 0, "every node was replaced");
}

async function applyWaitingEdit({ type }: Scene): Promise<void> {
  await waitFor(async () => memoryOf(await type("api /v1/bdbs")), 300_000_000);
}

async function keepApiChange({ type }: Scene): Promise<void> {
  const [orders] = listOf(await type("api /v1/bdbs"));
  assert.equal(orders?.["redis_version"], "7.4");
  await type(`kubectl patch redb orders --type merge -p '{"spec":{"storeVersion":"7.4"}}'`);
  await type("kubectl wait redb/orders --for=condition=Ready --timeout=60s");
}

async function upgradeDatabase({ type }: Scene): Promise<void> {
  await type(`kubectl patch redb orders --type merge -p '{"spec":{"storeVersion":"8.0"}}'`);
  await type(
    "kubectl wait redb/orders --for=jsonpath='{.status.observedGeneration}'=$(kubectl get redb orders -o jsonpath='{.metadata.generation}') --timeout=60s",
  );
  await type("kubectl wait redb/orders --for=condition=Ready --timeout=60s");
  assert.match(await type("kubectl get redb orders -o jsonpath='{.status.version}'"), /^8\.0/);
}
