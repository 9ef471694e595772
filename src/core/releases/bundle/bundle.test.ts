import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAllDocuments } from "yaml";
import { bundleFor, watchedNamespaceFor } from "./bundle.ts";
import { CATALOGUE } from "../catalogue/catalogue.ts";
import { constraintFor } from "../../../../test/kit/kubernetes/old-constraint.ts";
import { latestRelease, releaseByOperator } from "../catalogue/find.ts";
import { operatorDeployment } from "./operator-deployment.ts";
import type { PolicyRule } from "../permissions/roles.ts";

interface PodSpec {
  readonly containers: readonly { readonly image: string }[];
  readonly tolerations?: readonly { readonly key: string; readonly tolerationSeconds: number }[];
}

interface Document {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly PolicyRule[];
  readonly subjects?: readonly { readonly namespace?: string }[];
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly template?: { readonly spec: PodSpec } };
}

function documentsOf(text: string, version: "1.1" | "1.2" = "1.2"): Document[] {
  return parseAllDocuments(text, { version }).map((document) => document.toJS() as Document);
}

test("a bundle holds at least what §4.1 prints: role, binding, account, CRDs, deployment", () => {
  const names = documentsOf(bundleFor(latestRelease())).map(({ kind, metadata }) => `${kind}/${metadata.name}`);
  assert.deepEqual(names, [
    "Role/store-enterprise-operator",
    "RoleBinding/store-enterprise-operator",
    "ServiceAccount/store-enterprise-operator",
    "Service/admission",
    "NetworkPolicy/admission",
    "CustomResourceDefinition/storeenterpriseclusters.app.storeenterprise.io",
    "CustomResourceDefinition/storeenterprisedatabases.app.storeenterprise.io",
    "CustomResourceDefinition/storeenterpriseactiveactivedatabases.app.storeenterprise.io",
    "CustomResourceDefinition/storeenterpriseremoteclusters.app.storeenterprise.io",
    "CustomResourceDefinition/storeenterprisebackups.app.storeenterprise.io",
    "CustomResourceDefinition/storeenterprisebackupschedules.app.storeenterprise.io",
    "CustomResourceDefinition/storeenterpriserestores.app.storeenterprise.io",
    "Deployment/store-enterprise-operator",
  ]);
});

test("the bundle of each release runs that release's operator", () => {
  for (const release of CATALOGUE) {
    const images = documentsOf(bundleFor(release)).flatMap((one) => one.spec?.template?.spec.containers ?? []);
    assert.deepEqual(
      images.map(({ image }) => image),
      [`storeenterprise/operator:${release.operator}`],
    );
  }
});

test("what JavaScript may hold leaves a fifth of the operator's memory to everything else", () => {
  const [container] = operatorDeployment(latestRelease(), "kubernetes").spec.template.spec.containers;
  const text = JSON.stringify(container);
  const limit = Number(/"memory":"(\d+)Mi"\}\}/.exec(text)?.[1]);
  const heap = Number(/--max-old-space-size=(\d+)/.exec(text)?.[1]);
  assert.ok(heap >= limit / 2 && heap <= (limit * 4) / 5, `${heap} of ${limit}`);
});

test("the operator is replaced soon after its worker is lost", () => {
  const tolerations = documentsOf(bundleFor(latestRelease())).flatMap(
    (one) => one.spec?.template?.spec.tolerations ?? [],
  );
  assert.deepEqual(
    tolerations.map(({ key, tolerationSeconds }) => [key, tolerationSeconds]),
    [
      ["node.kubernetes.io/not-ready", 20],
      ["node.kubernetes.io/unreachable", 20],
    ],
  );
});

test("a bundle means the same to readers of YAML 1.1 and 1.2", () => {
  const text = bundleFor(releaseByOperator("8.0.2-2") ?? latestRelease());
  assert.deepEqual(documentsOf(text, "1.1"), documentsOf(text, "1.2"));
});

test("a definition stays far below the 256 KiB that kubectl can remember", () => {
  for (const document of documentsOf(bundleFor(latestRelease()))) {
    assert.ok(JSON.stringify(document).length < 64 * 1024, document.metadata.name);
  }
});

test("on OpenShift the same objects come, the Role before the account before its binding", () => {
  const kinds = (text: string): string[] => documentsOf(text).map(({ kind }) => kind);
  const plain = kinds(bundleFor(latestRelease()));
  const distro = kinds(bundleFor(latestRelease(), { variant: "openshift" }));
  assert.deepEqual(distro.toSorted(), plain.toSorted());
  assert.deepEqual(distro.slice(0, 3), ["Role", "ServiceAccount", "RoleBinding"]);
});

test("on OpenShift an argument says so to the operator, and it may use the one constraint for unprivileged pods, by name", () => {
  const [role] = documentsOf(bundleFor(latestRelease(), { variant: "openshift" }));
  const constraint = role?.rules?.filter(({ apiGroups }) => apiGroups.includes("security.openshift.io"));
  assert.deepEqual(constraint, [
    {
      apiGroups: ["security.openshift.io"],
      resources: ["securitycontextconstraints"],
      resourceNames: ["nonroot-v2"],
      verbs: ["use"],
    },
  ]);
  assert.match(bundleFor(latestRelease(), { variant: "openshift" }), /name: IS_OPENSHIFT\n\s+value: "true"/);
  assert.doesNotMatch(bundleFor(latestRelease()), /openshift/i);
});

test("each watched namespace gets the Role and a binding to the account of the operator's own namespace", () => {
  const namespaces = { own: "store", watched: ["team-a", "team-b"] };
  const documents = documentsOf(bundleFor(latestRelease(), { namespaces }));
  const [own] = documents;
  const config = documents.find(({ kind }) => kind === "ConfigMap");
  assert.deepEqual(config?.data, { REDB_NAMESPACES: "team-a,team-b" });
  for (const watched of namespaces.watched) {
    const [role, binding] = documents.filter(({ metadata }) => metadata.namespace === watched);
    assert.deepEqual(role?.rules, own?.rules);
    assert.deepEqual(
      binding?.subjects?.map(({ namespace }) => namespace),
      ["store"],
    );
    const alone = documentsOf(watchedNamespaceFor(latestRelease(), { own: "store", watched }));
    assert.deepEqual(alone, [role, binding]);
  }
});

test("an operator of a private registry keeps the tag of its release", () => {
  const image = {
    repository: "registry.example.com:5000/store/operator",
    pullPolicy: "Always",
    pullSecrets: ["pull"],
  } as const;
  const text = bundleFor(latestRelease(), { image });
  assert.match(text, new RegExp(`image: registry.example.com:5000/store/operator:${latestRelease().operator}\n`));
  assert.match(text, /imagePullPolicy: Always\n/);
  assert.match(text, /imagePullSecrets:\n\s+- name: pull\n/);
});

test("releases before 7.22.0-6 come with a privileged constraint, none from then on", () => {
  const privileged = CATALOGUE.filter((release) => constraintFor(release) !== undefined);
  assert.deepEqual(
    privileged.map(({ operator }) => operator),
    CATALOGUE.filter(({ operator }) => /^7\.[248]\./.test(operator)).map(({ operator }) => operator),
  );
  assert.match(constraintFor(privileged[0] ?? latestRelease()) ?? "", /name: store-enterprise-scc-v2/);
});
