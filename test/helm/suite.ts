import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseAllDocuments } from "yaml";
import { OPERATOR_NAME, RELEASE_ANNOTATION } from "../../src/core/api/names.ts";
import { CustomResourceDefinitions, Deployments, Namespaces } from "#kit/kube/builtin";
import { Clusters } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { bundleFor, watchedNamespaceFor } from "../../src/core/releases/bundle/bundle.ts";
import { chartFor } from "../../src/core/releases/bundle/chart.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import type { Release } from "../../src/core/releases/catalogue/release.ts";
import { release } from "../kit/facts/cluster-view.ts";
import { step, steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";
import { proves } from "../kit/specification/proves.ts";
import type { Kubectl } from "../kit/kubernetes/kubectl.ts";
import type { TestServer } from "../api-servers/test-server.ts";

/** An API server, and the helm that works on it. */
export interface HelmServer extends TestServer {
  readonly helm: Kubectl;
  /** For charts and kubeconfigs. */
  readonly folder: string;
}

const CHART = "deploy/chart";
const NEW = latestRelease();
const OLD = release("8.0.18-11");
const CRD = "storeenterpriseclusters.app.storeenterprise.io";
const PATIENCE = { withinMs: 60_000, everyMs: 50 };

/** Helm without an API server: what the chart says. */
export async function chartSuite(server: HelmServer): Promise<void> {
  await test("lint finds nothing wrong", async () => {
    assert.match(await server.helm(`lint --strict ${CHART}`), /0 chart\(s\) failed/);
  });

  for (const variant of ["kubernetes", "openshift"] as const) {
    await test(`the chart makes the objects of the bundle (${variant})`, async () => {
      const made = await template(
        server,
        `--set distro.mode=${variant === "openshift"},admission.manage=false,definitions.apply=false`,
      );
      proves(
        "§4.1 helm upgrade handles operator and CRDs; distro.mode for the distribution",
        "what `helm template` makes with distro.mode true and false: the objects of distro.bundle.yaml and of bundle.yaml",
      ).deepEqual(byName(documents(made)), byName(documents(bundleFor(NEW, { variant }))));
    });
  }
  await test("further namespaces get what the file for them has, and keep it", () => addNamespaces(server));
  for (const [value, field] of [
    ["--set distro.mode=yes", /at '\/distro\/mode': got string, want boolean/],
    [
      "--set operator.image.pullPolicy=Sometimes",
      /at '\/operator\/image\/pullPolicy': value must be one of '', 'Always'/,
    ],
    ["--set watch.namespace=a", /at '\/watch': additional properties 'namespace' not allowed/],
    ["--set watch.namespaces={Team_A}", /at '\/watch\/namespaces\/0': 'Team_A' does not match pattern/],
    ["--set openshift.mode=true", /additional properties 'openshift' not allowed/],
  ] as const) {
    await test(`a wrong value is refused with its field: ${value}`, async () => {
      assert.match(await server.helm.refused(`template store ${CHART} ${value}`), field);
    });
  }
  await test("an image of a private registry reaches operator and Job", () => useRegistry(server));
}

async function addNamespaces(server: HelmServer): Promise<void> {
  const made = documents(await template(server, "--set watch.namespaces={team-a}")).filter(
    ({ metadata }) => metadata.namespace === "team-a",
  );
  const wanted = documents(watchedNamespaceFor(NEW, { own: "store", watched: "team-a" }));
  const keep = { "helm.sh/resource-policy": "keep" };
  assert.deepEqual(
    byName(made),
    byName(
      wanted.map((one) => ({
        ...one,
        metadata: { ...one.metadata, annotations: { ...keep, ...one.metadata.annotations } },
      })),
    ),
  );
}

async function useRegistry(server: HelmServer): Promise<void> {
  const set =
    "--set operator.image.repository=registry.example.com/op,operator.image.pullPolicy=Always,imagePullSecrets[0].name=pull";
  const pods = documents(await template(server, set)).flatMap(({ spec }) => spec?.template?.spec ?? []);
  proves(
    "§4.3.3 the bundle is applied; images of a private registry are taken from where the spec points",
    "image, pull policy and pull secret of the operator and of the Job for the definitions, as `helm template` makes them",
  ).deepEqual(
    pods.map(({ imagePullSecrets, containers }) => [
      imagePullSecrets,
      containers[0]?.image,
      containers[0]?.imagePullPolicy,
    ]),
    [1, 2].map(() => [[{ name: "pull" }], `registry.example.com/op:${NEW.operator}`, "Always"]),
  );
}

/** The manifests that `helm template` prints. */
function template(server: HelmServer, values = ""): Promise<string> {
  return server.helm(`template store ${CHART} --include-crds --namespace store ${values}`);
}

/** What was installed, and the uid of the definition that must stay. */
interface Installed {
  readonly server: HelmServer;
  readonly uid: string | undefined;
}

/** Helm and an API server: install, upgrade, rollback, uninstall. */
export async function walkReleases(server: HelmServer): Promise<void> {
  const installed = await step("install makes operator and definitions", () => install(server));
  await steps(installed, {
    "upgrade brings operator and definitions to the new release, and clusters stay": upgrade,
    "rollback brings back the operator, never an older definition": rollBack,
    "an upgrade to an older chart leaves newer definitions as they are": upgradeToOlder,
    "uninstall leaves definitions and clusters, and nothing else": uninstall,
  });
}

async function install(server: HelmServer): Promise<Installed> {
  await server.kube.create(Namespaces, { metadata: { name: "store" } });
  await helm(
    server,
    `install store ${chartIn(server.folder, OLD, "hint")} --set definitions.apply=false --timeout 60s`,
  );
  proves("§1.5 the operator comes by Helm", "image of the Deployment after `helm install`").equal(
    await image(server),
    `storeenterprise/operator:${OLD.operator}`,
  );
  const made = await definition(server);
  assert.equal(made.release, OLD.operator);
  const cluster = readFileSync("deploy/samples/cluster.yaml", "utf8");
  await until(
    "the definitions are served",
    async () => (await server.kubectl.run("apply -n store -f -", [], { stdin: cluster })).code === 0,
    PATIENCE,
  );
  return { server, uid: made.uid };
}

async function upgrade(scene: Installed): Promise<void> {
  const { server } = scene;
  assert.equal((await definition(server)).hasHint, true);
  await helm(server, `upgrade store ${CHART} --set definitions.apply=true --timeout 60s`);
  proves(
    "§4.1 helm upgrade handles operator and CRDs; distro.mode for the distribution",
    "image of the Deployment, and release and uid of a definition, after `helm upgrade`",
  ).deepEqual(
    [await image(server), await definition(server)],
    [`storeenterprise/operator:${NEW.operator}`, { release: NEW.operator, uid: scene.uid, hasHint: false }],
  );
  assert.ok(await server.kube.get(Clusters, { name: "rec", namespace: "store" }));
}

async function rollBack(scene: Installed): Promise<void> {
  const { server } = scene;
  await helm(server, "rollback store 1 --timeout 60s");
  assert.equal(await image(server), `storeenterprise/operator:${OLD.operator}`);
  assert.deepEqual(await definition(server), { release: NEW.operator, uid: scene.uid, hasHint: false });
}

async function upgradeToOlder(scene: Installed): Promise<void> {
  const { server } = scene;
  await helm(server, `upgrade store ${chartIn(server.folder, OLD, "hint")} --timeout 60s`);
  assert.deepEqual(await definition(server), { release: NEW.operator, uid: scene.uid, hasHint: false });
  await helm(server, `upgrade store ${CHART} --timeout 60s`);
}

async function uninstall(scene: Installed): Promise<void> {
  const { server } = scene;
  await helm(server, "uninstall store --timeout 60s");
  await until("the operator is gone", async () => (await image(server)) === undefined, PATIENCE);
  assert.equal((await definition(server)).uid, scene.uid);
  assert.ok(await server.kube.get(Clusters, { name: "rec", namespace: "store" }));
  const kinds = "deployments,serviceaccounts,roles,rolebindings,services,configmaps,jobs";
  const left = (await server.kubectl(`get ${kinds} -n store -l app=store-enterprise -o name`)).trim();
  assert.equal(left, "");
  assert.equal(
    (await server.kubectl("get clusterroles,clusterrolebindings -l app=store-enterprise -o name")).trim(),
    "",
  );
}

function helm(server: HelmServer, line: string): Promise<string> {
  return server.helm(`${line} --namespace store`);
}

async function definition(server: HelmServer) {
  const found = await server.kube.get(CustomResourceDefinitions, { name: CRD });
  const { properties } = found?.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.["spec"] ?? {};
  return {
    release: found?.metadata.annotations?.[RELEASE_ANNOTATION],
    uid: found?.metadata.uid,
    hasHint: properties?.["hint"] !== undefined,
  };
}

async function image(server: HelmServer): Promise<string | undefined> {
  const found = await server.kube.get(Deployments, { name: OPERATOR_NAME, namespace: "store" });
  return found?.spec?.template.spec?.containers[0]?.image;
}

/** The chart of another release; with a field that the definitions of that release have and the next ones have not. */
function chartIn(folder: string, of: Release, field: string): string {
  const target = join(folder, `chart-${of.operator}`);
  cpSync(CHART, target, { recursive: true });
  for (const { path, text } of chartFor(of)) writeFileSync(join(target, path), text);
  for (const file of readdirSync(join(target, "crds"))) {
    const path = join(target, "crds", file);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace(/(\n {14})properties:\n/, `$1properties:$1  ${field}:$1    type: string\n`));
  }
  return target;
}

interface Document {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: { readonly template?: { readonly spec: PodSpec } };
}

interface PodSpec {
  readonly imagePullSecrets?: readonly { readonly name: string }[];
  readonly containers: readonly { readonly image: string; readonly imagePullPolicy?: string }[];
}

function documents(text: string): Document[] {
  return parseAllDocuments(text).flatMap((document) => (document.toJS() as Document | null) ?? []);
}

function byName(objects: readonly Document[]): readonly Document[] {
  const nameOf = ({ kind, metadata }: Document): string => `${kind}/${metadata.namespace ?? ""}/${metadata.name}`;
  return objects.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)));
}
