import { X509Certificate } from "node:crypto";
import { proves } from "../kit/specification/proves.ts";
import { FROM_REGISTRY, latest, PULL_SECRET, REGISTRY, ROOT, type Scene } from "./by-hand-scene.ts";

const KIND = "ValidatingWebhookConfiguration";

/** The bundle of the latest release is fetched and applied (§4.3 rule 3). */
export async function applyBundle({ type, releases }: Scene): Promise<void> {
  const answer: unknown = JSON.parse(await type(`curl -fsS ${releases.releasesApiUrl}`));
  const tag = String(Object(answer).tag_name);
  await type(`curl -fsS -o bundle.yaml ${releases.bundleBaseUrl}/${tag}/bundle.yaml`);
  await type(`${FROM_REGISTRY} bundle.yaml`);
  const lines = (await type("kubectl apply -f bundle.yaml")).split("\n");
  const own = "store-enterprise-operator";
  const account = [`role.rbac.authorization.k8s.io/${own}`, `serviceaccount/${own}`];
  const named = [...account, `rolebinding.rbac.authorization.k8s.io/${own}`, `deployment.apps/${own}`];
  const definitions = ["storeenterpriseclusters", "storeenterprisedatabases"].map(
    (plural) => `customresourcedefinition.apiextensions.k8s.io/${plural}.app.storeenterprise.io`,
  );
  const applied = lines.flatMap((line) => / (configured|unchanged)$/.exec(line)?.input.split(" ")[0] ?? []);
  proves(
    "§4.1 applying the bundle prints a line for each resource",
    "the lines of `kubectl apply -f bundle.yaml` for role, account, binding, both definitions and Deployment",
  ).deepEqual(
    [...named, ...definitions].filter((name) => !applied.includes(name)),
    [],
  );
  proves(
    "§2.1 short names rec, redb and reaadb; Deployment, Role, account and binding are all store-enterprise-operator",
    "kind and name of what the bundle applies",
  ).deepEqual(applied.filter((name) => name.endsWith(`/${own}`)).toSorted(), named.toSorted());
  proves(
    "§2.1 definitions storeenterpriseclusters and storeenterprisedatabases of the API group",
    "names of the definitions that the bundle applies",
  ).deepEqual(applied.filter((name) => definitions.includes(name)).toSorted(), definitions);
  const resources = await type("kubectl api-resources --api-group=app.storeenterprise.io --no-headers");
  proves(
    "§2.1 short names rec, redb and reaadb; Deployment, Role, account and binding are all store-enterprise-operator",
    "plural and short name of each kind in `kubectl api-resources`",
  ).deepEqual(
    resources.split("\n").map((line) => columnsWithShortName(line)),
    [
      "storeenterpriseactiveactivedatabases reaadb",
      "storeenterprisebackups rebackup",
      "storeenterprisebackupschedules rebackupschedule",
      "storeenterpriseclusters rec",
      "storeenterprisedatabases redb",
      "storeenterpriseremoteclusters rerc",
      "storeenterpriserestores rerestore",
    ],
  );
}

function columnsWithShortName(line: string): string {
  return line.split(/ +/).slice(0, 2).join(" ");
}

/** The six steps of §4.3 rule 4, in their order. */
export async function reapplyAdmission(scene: Scene): Promise<void> {
  const { type } = scene;
  const found = await type.run(`${process.execPath} ${ROOT}/src/bin/storectl.ts preflight --to ${latest.operator}`);
  proves(
    "§9 redb-admission gives way to the new webhook",
    "`storectl preflight` while redb-admission is there: it blocks, and names the command that deletes it",
  ).match(found.stdout, /BLOCKS +WebhookStale[^]*redb-admission of old releases is still there[^]*redb-admission/);
  await type(`kubectl delete ${KIND} redb-admission`);
  proves("§4.1 the old webhook is deleted by name", "the list of webhooks after the delete").equal(
    await type(`kubectl get ${KIND} -o jsonpath='{.items[*].metadata.name}'`),
    "",
  );
  proves("§4.1 the new webhook file is applied", "what `kubectl apply -f deploy/admission/webhook.yaml` prints").match(
    await type(`kubectl apply -f ${ROOT}/deploy/admission/webhook.yaml`),
    /^service\/admission \w+$/,
  );
  await readSecret(scene);
  const template = `${ROOT}/deploy/admission/webhook-template.yaml`;
  await type(`sed 's/OPERATOR_NAMESPACE/default/g' ${template} | kubectl create -f -`);
  proves(
    "§4.1 the webhook is created from its template, OPERATOR_NAMESPACE replaced",
    "the namespace of the service in the webhook that is created",
  ).equal(await read(scene, "{.webhooks[0].clientConfig.service.namespace}"), "default");
  const webhook = `{"name":"storeenterprise.admission.storeenterprise","clientConfig":{"caBundle":"'"$CERT"'"}}`;
  await type(`kubectl patch ${KIND} store-enterprise-admission -p '{"webhooks":[${webhook}]}'`);
  proves("§4.1 the webhook is patched with the certificate", "number of webhooks and caBundle after the patch").equal(
    await read(scene, "{.webhooks[*].name} {.webhooks[0].clientConfig.caBundle}"),
    `storeenterprise.admission.storeenterprise ${await type('echo "$CERT"')}`,
  );
  proves(
    "§2.1 the admission webhook is store-enterprise-admission; redb-admission is its old name",
    "the list of webhooks after the procedure",
  ).equal(await type(`kubectl get ${KIND} -o jsonpath='{.items[*].metadata.name}'`), "store-enterprise-admission");
}

async function readSecret({ type }: Scene): Promise<void> {
  proves(
    "§2.1 secret admission-tls is Opaque and has two items, one of them cert",
    "type and number of items in `kubectl get secret`, made by the operator",
  ).match(await type("kubectl get secret admission-tls"), /admission-tls +Opaque +2 /);
  await type("CERT=$(kubectl get secret admission-tls -o jsonpath='{.data.cert}')");
  proves(
    "§4.1 the webhook's secret is there, its certificate readable",
    "the variable CERT, filled by jsonpath and decoded: a certificate",
  ).match(new X509Certificate(await type('echo "$CERT" | base64 -d')).subject, /^CN=/);
}

/** The operator is ready, is its service account, and judges what is written. */
export async function readOperator({ type }: Scene): Promise<void> {
  const ready = await type("kubectl rollout status deployment/store-enterprise-operator --timeout=60s");
  proves(
    "§4.3.5 the operator Deployment is ready",
    "the last line of `kubectl rollout status` of the Deployment",
  ).match(ready, /successfully rolled out$/);
  const [head = "", row = ""] = (await type("kubectl get deployment/store-enterprise-operator")).split("\n");
  proves("§2.4 columns of the operator listing", "the first line of `kubectl get deployment`").deepEqual(
    head.split(/ +/),
    ["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE"],
  );
  proves("§4.1 the operator Deployment shows READY 1/1", "the row of the Deployment").match(
    row,
    /^store-enterprise-operator +1\/1 +1 +1 /,
  );
  const pod = "kubectl get pods -l name=store-enterprise-operator --field-selector=status.phase=Running";
  proves(
    "§1.5 the operator comes by a bundle file",
    "image of the operator pod that runs after the bundle was applied",
  ).match(
    await type(`${pod} -o jsonpath='{.items[-1:].spec.containers[0].image}'`),
    new RegExp(`/operator:${latest.operator}$`),
  );
  const refused = await type.run(`kubectl patch redb orders --type merge -p '{"spec":{"memorySize":"1MB"}}'`);
  proves(
    "§4.3.4 admission is reapplied step by step",
    "a bad edit after the six steps: the webhook refuses it with field, value and limit",
  ).match(refused.stderr, /"orders" is invalid: spec\.memorySize: Invalid value: "1MB": .*at least 100MB/);
  proves(
    "§5 caBundle is the certificate of admission-tls",
    "the same refusal: the API server trusts the operator's server by the caBundle, failurePolicy is Fail",
  ).doesNotMatch(refused.stderr, /failed calling webhook|x509|certificate/);
}

/** Whose rights the operator has. */
export async function readAccount({ type }: Scene): Promise<void> {
  const account = "system:serviceaccount:default:store-enterprise-operator";
  const can = async (what: string) => (await type.run(`kubectl auth can-i ${what} --as ${account}`)).stdout;
  const deployment = "kubectl get deployment store-enterprise-operator -o jsonpath=";
  const binding = "kubectl get rolebinding store-enterprise-operator -o jsonpath=";
  proves(
    "§5 the operator acts as its service account, bound by its binding",
    "account of the Deployment, role and account of the binding, and what `kubectl auth can-i` says of it: clusters, not nodes",
  ).deepEqual(
    [
      await type(`${deployment}'{.spec.template.spec.serviceAccountName}'`),
      await type(`${binding}'{.roleRef.kind} {.roleRef.name} {.subjects[*].name}'`),
      (await can("watch storeenterpriseclusters")).split(/\s/)[0],
      (await can("get nodes")).split(/\s/)[0],
    ],
    ["store-enterprise-operator", "Role store-enterprise-operator store-enterprise-operator", "yes", "no"],
  );
}

/** Where every image of the machine comes from, and with which login. */
export async function readImages({ type }: Scene): Promise<void> {
  const kinds = "pods,replicasets,deployments,statefulsets,daemonsets,jobs,cronjobs";
  const images = (await type(`kubectl get ${kinds} -A -o jsonpath='{..image}'`)).split(" ");
  proves(
    "§4.3.3 the bundle is applied; images of a private registry are taken from where the spec points",
    "every image that a pod, or what makes pods, names after the upgrade, without its tag: those of the registry",
  ).deepEqual([...new Set(images.map((image) => image.replace(/:[^:/]*$/, "")))].toSorted(), [
    `${REGISTRY}/node`,
    `${REGISTRY}/operator`,
    `${REGISTRY}/services-rigger`,
  ]);
  const each = `{range .items[*]}{.spec.containers[*].name} {.spec.imagePullSecrets[*].name}{"\\n"}{end}`;
  const pods = await type(`kubectl get pods -A -o jsonpath='${each}'`);
  proves(
    "§4.3.3 the bundle is applied; images of a private registry are taken from where the spec points",
    "the container and the pull secret of each pod: operator, three nodes and rigger have it",
  ).deepEqual(
    pods.split("\n").toSorted(),
    [
      ...[1, 2, 3].map(() => "store-enterprise-node store-enterprise-node-engines"),
      "services-rigger",
      "store-enterprise-operator",
    ]
      .map((container) => `${container} ${PULL_SECRET}`)
      .toSorted(),
  );
}

function read({ type }: Scene, path: string): Promise<string> {
  return type(`kubectl get ${KIND} store-enterprise-admission -o jsonpath='${path}'`);
}
