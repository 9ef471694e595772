import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { proves } from "../kit/specification/proves.ts";
import { startAdmissionWorld, webhookTemplate } from "./world.ts";

await using world = await startAdmissionWorld();
const replica = await world.start("one");
/** When a configuration of the webhook was created again by hand, in milliseconds since 1970. */
const createdAgainAt: number[] = [];

await test("the steps of §4.3.4 install a webhook that validates", async () => {
  const { kubectl } = world;
  await kubectl.given(
    webhookTemplate().replace("name: store-enterprise-admission", "name: redb-admission"),
    "create -f -",
  );
  assert.match(await kubectl("delete ValidatingWebhookConfiguration redb-admission"), /"redb-admission" deleted/);
  assert.match(await kubectl("apply -f deploy/admission/webhook.yaml"), /service\/admission (unchanged|configured)/);
  assert.match(await kubectl("get secret admission-tls"), /admission-tls +Opaque +2 /);
  const certificate = await kubectl("get secret admission-tls -o", "jsonpath={.data.cert}");
  assert.match(Buffer.from(certificate, "base64").toString(), /^-----BEGIN CERTIFICATE-----/);
  assert.match(
    await kubectl.given(webhookTemplate(), "create -f -"),
    /validatingwebhookconfiguration\.admissionregistration\.k8s\.io\/store-enterprise-admission created/,
  );
  const unpatched = await kubectl.refusedGiven(database("early", "{}"), "apply -f -");
  assert.match(unpatched, /failed calling webhook "storeenterprise\.admission\.storeenterprise"/);
  const patch = {
    webhooks: [{ name: "storeenterprise.admission.storeenterprise", clientConfig: { caBundle: certificate } }],
  };
  await kubectl("patch ValidatingWebhookConfiguration store-enterprise-admission -p", JSON.stringify(patch));
  const installed = JSON.parse(await kubectl("get ValidatingWebhookConfiguration store-enterprise-admission -o json"));
  assert.equal(installed.webhooks.length, 1);
  assert.equal(installed.webhooks[0].clientConfig.service.namespace, "default");
  assert.equal(installed.webhooks[0].failurePolicy, "Fail");
  await kubectl.given(cluster("rec", "{}"), "apply -f -");
  await kubectl.given(database("orders", "{ storeVersion: '8.0' }"), "apply -f -");
  const refused = await kubectl.refused("patch redb orders --type merge -p", '{"spec":{"memorySize":"1MB"}}');
  assert.match(refused, /"orders" is invalid: spec\.memorySize: Invalid value: "1MB": a database has at least 100MB/);
});

await test("an operator that may not read webhooks says which commands are left", async () => {
  const message = await world.admission("NotReadable");
  assert.match(message, /kubectl patch ValidatingWebhookConfiguration store-enterprise-admission .*\.data\.cert/);
  assert.match(message, /deploy\/admission\/cluster-role\.yaml/);
});

await test("an operator that may only read webhooks finds the webhook current", async () => {
  const { kubectl } = world;
  await kubectl("create clusterrole webhooks --verb=list --resource=validatingwebhookconfigurations");
  const account = "default:store-enterprise-operator";
  await kubectl(`create clusterrolebinding webhooks --clusterrole=webhooks --serviceaccount=${account}`);
  await world.admission("Current");
});

interface Bad {
  readonly rule: string;
  readonly object: string;
  readonly says: RegExp;
}

const PLACE = "s3: { bucketName: backups, awsSecretName: keys }";
const OWNER =
  "{ apiVersion: app.storeenterprise.io/v1, kind: StoreEnterpriseActiveActiveDatabase, name: bad, uid: a, controller: true }";
const bad: readonly Bad[] = [
  {
    rule: "a version that is not quoted",
    object: database("bad", "{ storeVersion: 8.2 }"),
    says: /spec\.storeVersion.*(must be of type string|expected string)/s,
  },
  {
    rule: "a version that there is not",
    object: database("bad", "{ storeVersion: '9.9' }"),
    says: /spec\.storeVersion: Unsupported value: "9\.9": supported values: "7\.2", "7\.4", "8\.0", "8\.2"/,
  },
  {
    rule: "a wrong type",
    object: database("bad", "{ replication: 'yes' }"),
    says: /spec\.replication.*boolean/s,
  },
  {
    rule: "a value outside its range",
    object: database("bad", "{ databasePort: 80 }"),
    says: /spec\.databasePort: Invalid value: 80: .*greater than or equal to 10000/,
  },
  {
    rule: "an unknown field",
    object: database("bad", "{ colour: red }"),
    says: /unknown field "spec\.colour"/,
  },
  {
    rule: "an unknown policy, with those that there are",
    object: database("bad", "{ evictionPolicy: sometimes }"),
    says: /spec\.evictionPolicy: Unsupported value: "sometimes": supported values: .*"allkeys-lru"/,
  },
  {
    rule: "a cluster that is not there",
    object: database("bad", "{ storeEnterpriseCluster: { name: rek } }"),
    says: /spec\.storeEnterpriseCluster\.name: Not found: "rek": clusters here: "rec"/,
  },
  {
    rule: "a name that a Service has already",
    object: database("rec", "{}"),
    says: /metadata\.name: Duplicate value: "rec": the cluster of that name/,
  },
  {
    rule: "two names of one list that differ",
    object: database("bad", "{ moduleList: [{ name: search }], modulesList: [] }"),
    says: /spec\.moduleList: Forbidden: .*two names of one list and differ/,
  },
  {
    rule: "a module twice",
    object: database("bad", "{ modulesList: [{ name: search }, { name: search }] }"),
    says: /spec\.modulesList\[1\]\.name: Duplicate value: "search"/,
  },
  {
    rule: "an even number of nodes",
    object: cluster("bad", "{ nodes: 4 }"),
    says: /spec\.nodes: Invalid value: 4: .*"nodes":5/,
  },
  {
    rule: "a URL that is none",
    object: cluster("bad", "{ userDefinedModules: [{ name: wand, source: { https: { url: wand.zip } } }] }"),
    says: /spec\.userDefinedModules\[0\]\.source\.https\.url: Invalid value: "wand\.zip": it is no https URL/,
  },
  {
    rule: "a switch that is set twice, differently",
    object: cluster("bad", "{ autoUpgradeStoreEnterprise: true, upgradeSpec: { autoUpgradeStoreEnterprise: false } }"),
    says: /spec\.autoUpgradeStoreEnterprise: Forbidden: .*two names of one switch/,
  },
  {
    rule: "backups with an interval that divides no day",
    object: database("bad", `{ backup: { ${PLACE}, interval: 5000 } }`),
    says: /spec\.backup\.interval: Unsupported value: 5000/,
  },
  {
    rule: "backups with an offset that is no shorter than their interval",
    object: database("bad", `{ backup: { ${PLACE}, interval: 3600, intervalOffset: 3600 } }`),
    says: /spec\.backup\.intervalOffset: Invalid value: 3600: must be less than the interval, which is 3600 seconds/,
  },
  {
    rule: "backups of a site of an Active-Active database",
    object: database("bad", `{ backup: { ${PLACE} } }`).replace("name: bad", `name: bad, ownerReferences: [${OWNER}]`),
    says: /spec\.backup: Forbidden: the sites of an Active-Active database are not saved; leave it out/,
  },
  {
    rule: "a URL where a host name belongs",
    object: remote("bad", "{ recName: rec, recNamespace: default, apiFqdnUrl: 'https://api.example.com' }"),
    says: /spec\.apiFqdnUrl: Invalid value: .*write "api\.example\.com"/,
  },
  {
    rule: "a participant that is not there",
    object: activeActive("bad", "{ participatingClusters: [{ name: nowhere }] }"),
    says: /spec\.participatingClusters\[0\]\.name: Not found: "nowhere": there are no remote clusters here/,
  },
  {
    rule: "versions in two places that differ",
    object: activeActive(
      "bad",
      "{ participatingClusters: [{ name: x }], storeVersion: '8.2', globalConfigurations: { storeVersion: '8.0' } }",
    ),
    says: /spec\.storeVersion: Forbidden: .*both set and differ/,
  },
];

for (const { rule, object, says } of bad) {
  await test(`kubectl apply of ${rule} prints what is wrong`, async () => {
    assert.match(await world.kubectl.refusedGiven(object, "apply -f -"), says);
  });
}

await test("each of the four database versions is taken, others are refused", async () => {
  for (const version of ["7.2", "7.4", "8.0", "8.2"]) {
    await world.kubectl.given(database("versions", `{ storeVersion: '${version}' }`), "apply --dry-run=server -f -");
  }
  for (const version of ["6.2", "8.4", "latest", ""]) {
    const said = await world.kubectl.refusedGiven(database("versions", `{ storeVersion: '${version}' }`), "apply -f -");
    proves(
      "§2.3 storeVersion is a string out of 7.2, 7.4, 8.0 and 8.2",
      "the refusal of each other text, once each of the four was taken",
    ).match(said, /spec\.storeVersion: Unsupported value: .*supported values: "7\.2", "7\.4", "8\.0", "8\.2"/);
  }
});

await test("policy major: no minor version until the policy changes", async () => {
  const { kubectl } = world;
  await kubectl.given(cluster("rec", "{ storeUpgradePolicy: major }"), "apply -f -");
  await kubectl.given(database("policy", "{ storeVersion: '7.4' }"), "apply -f -");
  const made = { databaseUID: "7", cluster: "rec", version: "7.4 (redis 7.4.3)", storeVersion: "7.4" };
  await kubectl("patch redb policy --subresource=status --type merge -p", JSON.stringify({ status: made }));
  const minor = ["-p", '{"spec":{"storeVersion":"8.2"}}'];
  // the webhook learns of the policy by its informer cache, a moment after the API server
  const isAdmitted = async (): Promise<boolean> =>
    (await kubectl.run("patch redb policy --type merge --dry-run=server", minor)).code === 0;
  await until("the webhook has seen the policy", async () => !(await isAdmitted()));
  const said = await kubectl.refused("patch redb policy --type merge", ...minor);
  proves(
    "§2.2 storeUpgradePolicy or a version setting `major` keeps databases from minor versions",
    "the refusal of a minor version while the policy of the cluster is major; a major version is taken",
  ).match(said, /spec\.storeVersion: Forbidden: "8\.2" is a minor version and spec\.storeUpgradePolicy .* is "major"/);
  await kubectl(`patch redb policy --type merge --dry-run=server -p`, '{"spec":{"storeVersion":"8.0"}}');
  await kubectl("patch rec rec --type merge -p", '{"spec":{"storeUpgradePolicy":"latest"}}');
  await proves(
    "§7 policy major → no minor version until the policy changes",
    "whether the edit to the minor version is taken: not before the policy changed, and then",
  ).until(isAdmitted);
  await kubectl("patch redb policy --type merge", ...minor);
  const back = await kubectl.refused("patch redb policy --type merge -p", '{"spec":{"storeVersion":"7.2"}}');
  assert.match(back, /spec\.storeVersion: Forbidden: the database is at 7\.4, and databases never go back to "7\.2"/);
});

await test("module numbers that are edited with the version are refused, alone they are not", async () => {
  const { kubectl } = world;
  const list = (version: string): string => `modulesList: [{ name: search, version: '${version}' }]`;
  const made = await kubectl.run("apply -f -", [], {
    stdin: database("modules", `{ storeVersion: '8.0', ${list("8.0")} }`),
  });
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stderr, /Warning: spec\.modulesList: the numbers \(search 8\.0\) have no effect/);
  const both = database("modules", `{ storeVersion: '8.2', ${list("8.2")} }`);
  assert.match(await kubectl.refusedGiven(both, "apply -f -"), /spec\.modulesList: Forbidden: it is edited together/);
  await kubectl.given(database("modules", `{ storeVersion: '8.2', ${list("8.0")} }`), "apply -f -");
  await kubectl.given(both, "apply -f -");
});

await test("an invalid object from before the webhook can be corrected one field at a time", async () => {
  const { kubectl } = world;
  const without = await kubectl("get ValidatingWebhookConfiguration store-enterprise-admission -o yaml");
  await kubectl("delete ValidatingWebhookConfiguration store-enterprise-admission");
  await kubectl.given(database("old", "{ durability: sync, memorySize: 1MB }"), "create -f -");
  createdAgainAt.push(Date.now());
  await kubectl.given(without.replace(/^ {2}(uid|resourceVersion): .*\n/gm, ""), "create -f -");
  const mended = await kubectl.run("patch redb old --type merge -p", ['{"spec":{"memorySize":"100MB"}}']);
  assert.equal(mended.code, 0, mended.stderr);
  assert.match(mended.stderr, /Warning: spec\.durability: .*it was so before/);
});

await test("labels can be written, and objects deleted, whatever is wrong with their specs", async () => {
  const { kubectl } = world;
  await kubectl("label redb old colour=red");
  await kubectl("delete redb old --wait=false");
});

await test("a namespace that the operator does not manage is not validated", async () => {
  const { kubectl } = world;
  await kubectl("create namespace other");
  await kubectl.given(database("free", "{ durability: sync }"), "create -n other -f -");
});

await test("a forbidden change is tried again after half a minute, or when the configuration has changed", () => {
  const said = world
    .log()
    .matchAll(/^.*"ts":"([^"]+)".*the operator may not manage the webhook","act":"([\w-]+)".*$/gm);
  const tried = [...said].map(([, time = "", act]) => ({ at: Date.parse(time), act }));
  assert.ok(tried.some(({ act }) => act === "guard"));
  for (const [index, { at, act }] of tried.entries()) {
    const next = tried[index + 1];
    if (next === undefined || next.at - at >= 29_000) continue;
    // another act in between means that the configuration has changed, and so does one that was deleted and created again
    const isChanged = next.act !== act || createdAgainAt.some((created) => at <= created && created <= next.at);
    assert.ok(isChanged, `${act} was tried again after ${next.at - at} ms`);
  }
});

await test("reviews are counted, and answered in milliseconds", () => {
  const metrics = replica.metrics();
  assert.match(metrics, /store_webhook_reviews_total\{kind="StoreEnterpriseDatabase",outcome="denied"\} \d+/);
  const within = (bound: string): number => Number(new RegExp(`_bucket\\{le="${bound}"\\} (\\d+)`).exec(metrics)?.[1]);
  const all = Number(/review_seconds_count (\d+)/.exec(metrics)?.[1]);
  // half of them: a busy machine makes the others late
  assert.ok(all >= 15 && within("0.05") / all >= 0.5, metrics);
  assert.match(metrics, /store_webhook_certificate_expiry_seconds \d+/);
});

function database(name: string, spec: string): string {
  return object("StoreEnterpriseDatabase", name, spec);
}

function cluster(name: string, spec: string): string {
  return object("StoreEnterpriseCluster", name, spec);
}

function activeActive(name: string, spec: string): string {
  return object("StoreEnterpriseActiveActiveDatabase", name, spec);
}

function remote(name: string, spec: string): string {
  return object("StoreEnterpriseRemoteCluster", name, spec);
}

function object(kind: string, name: string, spec: string): string {
  return `{ apiVersion: app.storeenterprise.io/v1, kind: ${kind}, metadata: { name: ${name} }, spec: ${spec} }\n`;
}
