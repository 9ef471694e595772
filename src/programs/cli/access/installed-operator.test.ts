import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAllDocuments } from "yaml";
import { release } from "../../../../test/kit/facts/cluster-view.ts";
import { startOperatorWorld } from "../../../../test/kit/operator/operator-world.ts";
import { KINDS } from "../../../core/api/kinds.ts";
import { OPERATOR_NAME } from "../../../core/api/names.ts";
import { isFault } from "#kit/base/fault";
import { ConfigMaps, Deployments, Namespaces } from "#kit/kube/builtin";
import { applyManifest } from "#kit/kube/manifest";
import { bundleFor } from "../../../core/releases/bundle/bundle.ts";
import { faults } from "../faults.ts";
import { bundleLikeInstalled } from "./installed-operator.ts";

const OLDER = release("8.0.18-11");
const NEWER = release("8.2.0-12");
const PLACE = { name: OPERATOR_NAME, namespace: "default" };

test("an operator as it is published is followed by the bundle as it is published", async () => {
  await using world = await startOperatorWorld();
  assert.equal(await bundleLikeInstalled(world, NEWER.operator), bundleFor(NEWER));
  await applyManifest(world.kube, bundleFor(OLDER), "default", "test");
  assert.equal(await bundleLikeInstalled(world, NEWER.operator), bundleFor(NEWER));
});

test("platform, registry, replicas and namespaces of the installed operator are kept", async () => {
  await using world = await startOperatorWorld();
  const { kube } = world;
  const repository = "registry.example.com:5000/store/operator";
  const image = { repository, pullSecrets: ["login"], pullPolicy: "Always" } as const;
  await applyManifest(kube, bundleFor(OLDER, { variant: "openshift", image }), "default", "test");
  await kube.patch(Deployments, PLACE, { type: "merge", body: { spec: { replicas: 2 } } });
  for (const [name, labels] of [
    ["team-a", {}],
    ["team-b", { store: "yes" }],
  ] as const)
    await kube.create(Namespaces, { metadata: { name, labels } });
  await kube.create(ConfigMaps, {
    metadata: { name: "operator-environment-config", namespace: "default" },
    data: { REDB_NAMESPACES: "team-a", REDB_NAMESPACES_LABEL: "store" },
  });
  const bundle = await bundleLikeInstalled(world, NEWER.operator);
  await applyManifest(kube, bundle, "default", "test");
  const { spec } = (await kube.get(Deployments, PLACE)) ?? {};
  const [container] = spec?.template.spec?.containers ?? [];
  assert.deepEqual(
    [spec?.replicas, container?.image, container?.imagePullPolicy, spec?.template.spec?.imagePullSecrets],
    [2, `${repository}:${NEWER.operator}`, "Always", [{ name: "login" }]],
  );
  assert.ok(container?.env?.some(({ name, value }) => name === "IS_OPENSHIFT" && value === "true"));
  const config = await kube.get(ConfigMaps, { name: "operator-environment-config", namespace: "default" });
  assert.deepEqual(config?.data, { REDB_NAMESPACES: "team-a", REDB_NAMESPACES_LABEL: "store" });
  const objects = parseAllDocuments(bundle).map((document) => document.toJS());
  const grants = objects.filter(({ metadata }) => metadata.namespace !== undefined);
  assert.deepEqual(
    grants.map(({ kind, metadata }) => `${kind} ${metadata.namespace}`),
    ["Role team-a", "RoleBinding team-a", "Role team-b", "RoleBinding team-b"],
  );
});

test("an operator that came by Helm is left to Helm, but for the definitions, which are not part of its release", async () => {
  await using world = await startOperatorWorld();
  await applyManifest(world.kube, bundleFor(OLDER), "default", "test");
  const annotations = { "meta.helm.sh/release-name": "store" };
  await world.kube.patch(Deployments, PLACE, { type: "merge", body: { metadata: { annotations } } });
  await assert.rejects(
    bundleLikeInstalled(world, NEWER.operator),
    (error) =>
      isFault(error, faults.byHelm) &&
      /helm upgrade store deploy\/chart {2}# of release v8\.2\.0-12/.test(error.message),
  );
  const definitions = await bundleLikeInstalled(world, NEWER.operator, ["CustomResourceDefinition"]);
  assert.deepEqual(
    parseAllDocuments(definitions).map((document) => document.toJS().kind),
    Object.keys(KINDS).map(() => "CustomResourceDefinition"),
  );
});
