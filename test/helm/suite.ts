import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseAllDocuments } from "yaml";
import { OPERATOR_NAME, RELEASE_ANNOTATION } from "../../src/core/api/names.ts";
import { CustomResourceDefinitions, Deployments, Namespaces } from "../../src/ports/kube/builtin.ts";
import { Clusters } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { bundleFor, watchedNamespaceFor } from "../../src/core/releases/bundle/bundle.ts";
import { chartFor } from "../../src/core/releases/bundle/chart.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import type { Release } from "../../src/core/releases/catalogue/release.ts";
import { release } from "../kit/facts/cluster-view.ts";
import { until } from "../kit/time/until.ts";
import type { Kubectl } from "../kubectl/kubectl.ts";
import type { Judge } from "../api-servers/judge.ts";

/** An API server, the helm that asks it, and who runs the pods of Jobs meanwhile. */
export interface HelmJudge extends Judge {
  readonly helm: Kubectl;
  /** For charts and kubeconfigs. */
  readonly folder: string;
}

/** Registers one test of a rule. */
export type Step = (when: string, body: () => Promise<void>) => void;

const CHART = "deploy/chart";
const NEW = latestRelease();
const OLD = release("8.0.18-11");
const CRD = "storeenterpriseclusters.app.storeenterprise.io";
const PATIENCE = { withinMs: 60_000, everyMs: 50 };

/** Helm without an API server: what the chart says. */
export function chartSuite(judge: () => Pick<HelmJudge, "helm">, step: Step): void {
  const template = (values = ""): Promise<string> =>
    judge().helm(`template store ${CHART} --include-crds --namespace store ${values}`);

  test("lint finds nothing wrong", async () => {
    assert.match(await judge().helm(`lint --strict ${CHART}`), /0 chart\(s\) failed/);
  });

  for (const variant of ["kubernetes", "openshift"] as const) {
    step(`the chart makes the objects of the bundle (${variant})`, async () => {
      const made = await template(
        `--set distro.mode=${variant === "openshift"},admission.manage=false,definitions.apply=false`,
      );
      assert.deepEqual(byName(documents(made)), byName(documents(bundleFor(NEW, { variant }))));
    });
  }

  test("further namespaces get what the file for them has, and keep it", async () => {
    const made = documents(await template("--set watch.namespaces={team-a}")).filter(
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
  });

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
    test(`a wrong value is refused with its field: ${value}`, async () => {
      assert.match(await judge().helm.refused(`template store ${CHART} ${value}`), field);
    });
  }

  test("an image of a private registry reaches operator and Job", async () => {
    const set =
      "--set operator.image.repository=registry.example.com/op,operator.image.pullPolicy=Always,imagePullSecrets[0].name=pull";
    const pods = documents(await template(set)).flatMap(({ spec }) => spec?.template?.spec ?? []);
    assert.deepEqual(
      pods.map(({ imagePullSecrets, containers }) => [
        imagePullSecrets,
        containers[0]?.image,
        containers[0]?.imagePullPolicy,
      ]),
      [1, 2].map(() => [[{ name: "pull" }], `registry.example.com/op:${NEW.operator}`, "Always"]),
    );
  });
}

/** Helm and an API server: install, upgrade, rollback, uninstall. */
export function helmSuite(judge: () => HelmJudge, step: Step): void {
  const helm = (line: string): Promise<string> => judge().helm(`${line} --namespace store`);
  const definition = async () => {
    const found = await judge().kube.get(CustomResourceDefinitions, { name: CRD });
    const { properties } = found?.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.["spec"] ?? {};
    return {
      release: found?.metadata.annotations?.[RELEASE_ANNOTATION],
      uid: found?.metadata.uid,
      hasHint: properties?.["hint"] !== undefined,
    };
  };
  const image = async (): Promise<string | undefined> => {
    const found = await judge().kube.get(Deployments, { name: OPERATOR_NAME, namespace: "store" });
    return found?.spec?.template.spec?.containers[0]?.image;
  };
  let uid: string | undefined;

  step("install makes operator and definitions", async () => {
    await judge().kube.create(Namespaces, { metadata: { name: "store" } });
    await helm(`install store ${chartIn(judge().folder, OLD, "hint")} --set definitions.apply=false --timeout 60s`);
    assert.equal(await image(), `storeenterprise/operator:${OLD.operator}`);
    const made = await definition();
    assert.equal(made.release, OLD.operator);
    uid = made.uid;
    const cluster = readFileSync("deploy/samples/cluster.yaml", "utf8");
    await until(
      "the definitions are served",
      async () => (await judge().kubectl.run("apply -n store -f -", [], { stdin: cluster })).code === 0,
      PATIENCE,
    );
  });

  step("upgrade brings operator and definitions to the new release, and clusters stay", async () => {
    assert.equal((await definition()).hasHint, true);
    await helm(`upgrade store ${CHART} --set definitions.apply=true --timeout 60s`);
    assert.equal(await image(), `storeenterprise/operator:${NEW.operator}`);
    assert.deepEqual(await definition(), { release: NEW.operator, uid, hasHint: false });
    assert.ok(await judge().kube.get(Clusters, { name: "rec", namespace: "store" }));
  });

  step("rollback brings back the operator, never an older definition", async () => {
    await helm("rollback store 1 --timeout 60s");
    assert.equal(await image(), `storeenterprise/operator:${OLD.operator}`);
    assert.deepEqual(await definition(), { release: NEW.operator, uid, hasHint: false });
  });

  step("an upgrade to an older chart leaves newer definitions as they are", async () => {
    await helm(`upgrade store ${chartIn(judge().folder, OLD, "hint")} --timeout 60s`);
    assert.deepEqual(await definition(), { release: NEW.operator, uid, hasHint: false });
    await helm(`upgrade store ${CHART} --timeout 60s`);
  });

  step("uninstall leaves definitions and clusters, and nothing else", async () => {
    await helm("uninstall store --timeout 60s");
    await until("the operator is gone", async () => (await image()) === undefined, PATIENCE);
    assert.equal((await definition()).uid, uid);
    assert.ok(await judge().kube.get(Clusters, { name: "rec", namespace: "store" }));
    const kinds = "deployments,serviceaccounts,roles,rolebindings,services,configmaps,jobs";
    const left = (await judge().kubectl(`get ${kinds} -n store -l app=store-enterprise -o name`)).trim();
    assert.equal(left, "");
    assert.equal(
      (await judge().kubectl("get clusterroles,clusterrolebindings -l app=store-enterprise -o name")).trim(),
      "",
    );
  });
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
