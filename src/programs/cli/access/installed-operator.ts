import type { Deployment } from "kubernetes-types/apps/v1.js";
import { OPERATOR_CONFIG, OPERATOR_NAME } from "../../../core/api/names.ts";
import { Fault } from "#kit/base/fault";
import { ConfigMaps, CustomResourceDefinitions, Deployments, Namespaces } from "#kit/kube/builtin";
import type { Kube, Stored } from "#kit/kube/kube";
import { desiredWatch } from "../../../core/planner/operator/watched-namespaces.ts";
import { bundleFor, watchedNamespaceFor, type BundleOptions } from "../../../core/releases/bundle/bundle.ts";
import { repositoryOf, REPOSITORIES } from "../../../core/releases/catalogue/images.ts";
import { faults } from "../faults.ts";
import { namedRelease } from "./named-release.ts";
import type { NamespaceAccess } from "./namespace-access.ts";

/**
 * The bundle of another release for where the operator is installed now (§4.3 rules 3 and 7): the same platform, registry
 * and number of replicas, and its Roles in every namespace that it manages. Only objects of `kinds` when some are named.
 * CLI_BY_HELM when they are Helm's.
 */
export async function bundleLikeInstalled(
  { kube, namespace }: Pick<NamespaceAccess, "kube" | "namespace">,
  version: string,
  kinds: readonly string[] = [],
): Promise<string> {
  const release = namedRelease(version);
  const deployment = await kube.get(Deployments, { name: OPERATOR_NAME, namespace });
  if (deployment === undefined) return partOf(bundleFor(release), kinds);
  const helmRelease = helmReleaseOf(deployment);
  const isHelms = kinds.length === 0 || kinds.some((kind) => kind !== CustomResourceDefinitions.kind);
  if (helmRelease !== undefined && isHelms) {
    const command = `helm upgrade ${helmRelease} deploy/chart  # of release v${version}`;
    throw new Fault(faults.byHelm, `the operator came by Helm, and ${version} comes the same way: ${command}`);
  }
  const { variant, ...circumstances } = circumstancesOf(deployment);
  const watched = await watchedNamespaces(kube, namespace);
  const bundle = [
    bundleFor(release, { variant, ...circumstances }),
    ...watched.map((name) => watchedNamespaceFor(release, { own: namespace, watched: name, variant })),
  ];
  return partOf(bundle.join("---\n"), kinds);
}

function partOf(bundle: string, kinds: readonly string[]): string {
  return bundle
    .split(/^---\n/m)
    .filter((text) => kinds.length === 0 || kinds.some((kind) => text.includes(`\nkind: ${kind}\n`)))
    .join("---\n");
}

/** Undefined when Helm has nothing to do with it. */
function helmReleaseOf({ metadata }: Stored<Deployment>): string | undefined {
  return metadata.annotations?.["meta.helm.sh/release-name"];
}

function circumstancesOf({ spec }: Stored<Deployment>): BundleOptions & Required<Pick<BundleOptions, "variant">> {
  const { containers = [], imagePullSecrets = [] } = spec?.template.spec ?? {};
  const container = containers.find(({ name }) => name === OPERATOR_NAME) ?? containers[0];
  const repository = repositoryOf(container?.image ?? REPOSITORIES.operator);
  const pullPolicy = UNUSUAL_POLICIES.find((policy) => policy === container?.imagePullPolicy);
  const isOpenShift = container?.env?.some(({ name, value }) => name === "IS_OPENSHIFT" && value === "true") === true;
  return {
    variant: isOpenShift ? "openshift" : "kubernetes",
    replicas: Math.max(1, spec?.replicas ?? 1), // one that was scaled away is wanted again
    image: {
      ...(repository === REPOSITORIES.operator ? {} : { repository }),
      ...(pullPolicy === undefined ? {} : { pullPolicy }),
      ...(imagePullSecrets.length === 0 ? {} : { pullSecrets: imagePullSecrets.map(({ name = "" }) => name) }),
    },
  };
}

/** What the server fills in for an image with a tag is not asked for. */
const UNUSUAL_POLICIES = ["Always", "Never"] as const;

async function watchedNamespaces(kube: Kube, own: string): Promise<readonly string[]> {
  const config = await kube.get(ConfigMaps, { name: OPERATOR_CONFIG, namespace: own });
  const { names, label } = desiredWatch(config?.data ?? {}, own);
  const labelled = label === undefined ? [] : (await kube.list(Namespaces, { labelSelector: label })).items;
  const found = labelled.map(({ metadata }) => metadata.name).filter((name) => name !== own);
  return [...new Set([...names, ...found])];
}
