import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterSpec } from "../../api/cluster-spec.ts";
import { CLUSTER_ADMISSION_RULES, CLUSTER_ADVICE } from "./cluster.ts";
import type { ReviewedCluster } from "./reviewed-cluster.ts";
import { review } from "./review.ts";
import { processorMs } from "#kit/testing/processor-ms";
import { causeText } from "./objection.ts";

interface Case {
  readonly rule: string;
  readonly spec?: object;
  readonly before?: object;
  readonly change?: Partial<ReviewedCluster>;
  readonly field?: string;
  readonly says?: RegExp;
}

const module = (source: object, more: object = {}) => ({ name: "wand", source, ...more });
const modules = (...list: readonly object[]) => ({ userDefinedModules: list });
const image = (more: object) => ({ storeEnterpriseImageSpec: more });
const https = { https: { url: "https://modules.example.com/wand.zip" } };

const cases: readonly Case[] = [
  { rule: "an empty spec is a cluster" },
  { rule: "a full one is accepted", spec: { ...modules(module(https)), ...image({ versionTag: "8.2.0-25.12" }) } },
  {
    rule: "an even number of nodes is refused",
    spec: { nodes: 4 },
    field: "spec.nodes",
    says: /even number.*"nodes":5/,
  },
  {
    rule: "nodes are not removed",
    spec: { nodes: 3 },
    change: { nodes: 5 },
    field: "spec.nodes",
    says: /has 5.*"nodes":5/,
  },
  {
    rule: "automatic upgrade is set in one place",
    spec: { autoUpgradeStoreEnterprise: true, upgradeSpec: { autoUpgradeStoreEnterprise: false } },
    field: "spec.autoUpgradeStoreEnterprise",
    says: /two names of one switch/,
  },
  {
    rule: "an unknown version is accepted by the name that runs",
    spec: { upgradeSpec: { acceptUnknownVersion: "7.2.4-998" } },
    change: { tags: ["7.2.4-999"] },
    field: "spec.upgradeSpec.acceptUnknownVersion",
    says: /it is "7\.2\.4-998", and the nodes run "7\.2\.4-999".*"acceptUnknownVersion":"7\.2\.4-999"/,
  },
  {
    rule: "the acceptance may stay when the nodes run another version",
    spec: { upgradeSpec: { acceptUnknownVersion: "7.2.4-999" } },
    before: { upgradeSpec: { acceptUnknownVersion: "7.2.4-999" } },
    change: { tags: ["8.2.0-25.12"] },
  },
  {
    rule: "a label that marks what the product owns is refused",
    spec: { extraLabels: { "storeenterprise.io/database": "other" } },
    field: 'spec.extraLabels["storeenterprise.io/database"]',
    says: /mark what the product owns.*use another key/,
  },
  {
    rule: "an annotation of the domain of the product is refused",
    spec: { podAnnotations: { "app.storeenterprise.io/agreed": "1" } },
    before: {},
    field: 'spec.podAnnotations["app.storeenterprise.io/agreed"]',
  },
  {
    rule: "a label that an older release took stays, and is left out",
    spec: { extraLabels: { "storeenterprise.io/role": "x" } },
    change: { nodes: 3 },
  },
  {
    rule: "a label of a domain with a similar name is a user's",
    spec: { extraLabels: { "mystoreenterprise.io/a": "x" } },
  },
  {
    rule: "the licence is named in one place",
    spec: { license: "text", licenseSecretName: "licence" },
    field: "spec.license",
    says: /"licence"\) are both set/,
  },
  {
    rule: "a digest together with automatic upgrade is let in, for the cluster to show it (§3)",
    spec: { autoUpgradeStoreEnterprise: true, ...image({ digestHash: `sha256:${"0".repeat(64)}` }) },
  },
  {
    rule: "a module is listed once",
    spec: modules(module(https), module(https, { name: "WAND" })),
    field: "spec.userDefinedModules[1].name",
    says: /Duplicate value: "WAND"/,
  },
  {
    rule: "a module has a source",
    spec: modules(module({})),
    field: "spec.userDefinedModules[0].source",
    says: /one of https and http/,
  },
  {
    rule: "a module has one source",
    spec: modules(module({ ...https, http: { url: "http://modules.example.com/wand.zip" } })),
    field: "spec.userDefinedModules[0].source.http",
    says: /both set/,
  },
  {
    rule: "a module has one secret",
    spec: modules(module({ https: { ...https.https, credentialsSecret: "a" } }, { credentialsSecret: "b" })),
    field: "spec.userDefinedModules[0].credentialsSecret",
    says: /two names of one secret/,
  },
  {
    rule: "a source is a URL",
    spec: modules(module({ https: { url: "modules/wand.zip" } })),
    field: "spec.userDefinedModules[0].source.https.url",
    says: /no https URL/,
  },
  {
    rule: "a source is a URL of its scheme",
    spec: modules(module({ https: { url: "ftp://modules.example.com/wand.zip" } })),
    field: "spec.userDefinedModules[0].source.https.url",
    says: /no https URL/,
  },
  {
    rule: "credentials do not stand in a URL, and are not repeated",
    spec: modules(module({ https: { url: "https://me:hunter2@modules.example.com/wand.zip" } })),
    field: "spec.userDefinedModules[0].source.https.url",
    says: /^Invalid value: "https:\/\/modules\.example\.com\/wand\.zip": credentials/,
  },
  {
    rule: "a repository has no tag in it",
    spec: image({ repository: "registry.example.com:5000/store/node:8" }),
    field: "spec.storeEnterpriseImageSpec.repository",
    says: /without scheme, tag and digest/,
  },
  { rule: "a registry may have a port", spec: image({ repository: "registry.example.com:5000/store/node" }) },
  {
    rule: "a tag has no blank",
    spec: image({ versionTag: "8.2.0 latest" }),
    field: "spec.storeEnterpriseImageSpec.versionTag",
    says: /Invalid value: "8\.2\.0 latest"/,
  },
  {
    rule: "a resource is a quantity",
    spec: { storeEnterpriseNodeResources: { requests: { memory: "lots" } } },
    field: "spec.storeEnterpriseNodeResources.requests.memory",
    says: /no quantity/,
  },
  {
    rule: "no request exceeds its limit",
    spec: { storeEnterpriseNodeResources: { requests: { cpu: "3" }, limits: { cpu: "2500m" } } },
    field: "spec.storeEnterpriseNodeResources.requests.cpu",
    says: /above the limit, 2500m/,
  },
  {
    rule: "a volume has a size",
    spec: { persistentSpec: { volumeSize: "big" } },
    field: "spec.persistentSpec.volumeSize",
    says: /no size/,
  },
  {
    rule: "a volume does not shrink",
    before: { persistentSpec: { volumeSize: "20Gi" } },
    spec: { persistentSpec: { volumeSize: "10Gi" } },
    field: "spec.persistentSpec.volumeSize",
    says: /never shrink.*20Gi/,
  },
  {
    rule: "a volume does not shrink to less than it was asked for, whatever the spec was since",
    before: { persistentSpec: { volumeSize: "40Gi" } },
    change: { askedSize: "40Gi" },
    spec: { persistentSpec: { volumeSize: "30Gi" } },
    field: "spec.persistentSpec.volumeSize",
    says: /were given 40Gi/,
  },
  {
    rule: "a volume does not grow when Kubernetes would refuse it",
    before: { persistentSpec: { volumeSize: "20Gi" } },
    change: { growthRefusal: { claim: "data-rec-1", storageClass: "slow", why: "no resize" } },
    spec: { persistentSpec: { volumeSize: "30Gi" } },
    field: "spec.persistentSpec.volumeSize",
    says: /from 20Gi to 30Gi: data-rec-1 is of storage class "slow".*no resize.*kubectl patch storageclass slow /,
  },
  {
    rule: "a volume stays in its class",
    before: {},
    spec: { persistentSpec: { storageClassName: "fast" } },
    field: "spec.persistentSpec.storageClassName",
    says: /cannot change/,
  },
  {
    rule: "a selector has label values",
    spec: { nodeSelector: { disk: "very fast" } },
    field: 'spec.nodeSelector["disk"]',
    says: /no label value/,
  },
  {
    rule: "an annotation has a key",
    spec: { podAnnotations: { "a b": "" } },
    field: "spec.podAnnotations",
    says: /no key/,
  },
  { rule: "the name has no dots", change: { name: "rec.eu" }, field: "metadata.name", says: /hyphens, a letter first/ },
  {
    rule: "the name fits into a certificate",
    change: { name: "x".repeat(43) },
    field: "metadata.name",
    says: /may have 42/,
  },
];

for (const { rule, spec = {}, before, change, field, says } of cases) {
  test(`rec: ${rule}`, () => {
    const { denials } = review(CLUSTER_ADMISSION_RULES, CLUSTER_ADVICE, facts(spec, before, change), undefined);
    assert.deepEqual(
      denials.map((denial) => denial.field),
      field === undefined ? [] : [field],
    );
    if (says !== undefined) assert.match(denials.map(causeText).join(), says);
  });
}

test("rec: a setting with less effect than expected is a warning", () => {
  const long = review([], CLUSTER_ADVICE, facts({}, undefined, { name: "x".repeat(21) }), undefined);
  assert.match(long.warnings.join(), /host names of routes/);
  const renamed = review([], CLUSTER_ADVICE, facts({ username: "other" }, {}), undefined);
  assert.match(renamed.warnings.join(), /change the Secret/);
});

test("rec: the longest input is validated quickly", () => {
  const before = processorMs();
  const repository = `${"a.".repeat(500_000)}!`;
  review(
    CLUSTER_ADMISSION_RULES,
    [],
    facts({ ...image({ repository }), extraLabels: { [`${"a.".repeat(500_000)}!`]: "" } }),
    undefined,
  );
  assert.ok(processorMs() - before < 500);
});

function facts(spec: object, before?: object, change: Partial<ReviewedCluster> = {}): ReviewedCluster {
  return {
    name: "rec",
    spec: clusterSpec.parse(spec),
    before: before && clusterSpec.parse(before),
    nodes: 0,
    tags: [],
    askedSize: undefined,
    growthRefusal: undefined,
    ...change,
  };
}
