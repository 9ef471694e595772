import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAllDocuments } from "yaml";
import { bundleFor } from "./bundle.ts";
import { CATALOGUE } from "./catalogue.ts";
import { latestRelease, releaseByOperator } from "./find.ts";

interface Document {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly template?: { readonly spec: { readonly containers: readonly { image: string }[] } } };
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
    "CustomResourceDefinition/storeenterpriseclusters.app.storeenterprise.io",
    "CustomResourceDefinition/storeenterprisedatabases.app.storeenterprise.io",
    "CustomResourceDefinition/storeenterpriseactiveactivedatabases.app.storeenterprise.io",
    "CustomResourceDefinition/storeenterpriseremoteclusters.app.storeenterprise.io",
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

test("a bundle means the same to readers of YAML 1.1 and 1.2", () => {
  const text = bundleFor(releaseByOperator("8.0.2-2") ?? latestRelease());
  assert.deepEqual(documentsOf(text, "1.1"), documentsOf(text, "1.2"));
});

test("a definition stays far below the 256 KiB that kubectl can remember", () => {
  for (const document of documentsOf(bundleFor(latestRelease()))) {
    assert.ok(JSON.stringify(document).length < 64 * 1024, document.metadata.name);
  }
});
