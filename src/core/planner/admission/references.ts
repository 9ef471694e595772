import type { ClusterStatus } from "../../api/cluster-status.ts";
import type { StoreEnterpriseCluster } from "../../api/kinds.ts";
import { clusterNames } from "../../api/names.ts";
import { shardsOfLicense } from "../../api/older-status.ts";
import type { Release } from "../../releases/catalogue/release.ts";

/** What else is in the namespace of an object that is reviewed: what it may refer to, and what it may collide with. */
export interface References {
  /** Release of the operator that judges. */
  readonly release: Release;
  readonly clusters: readonly ReferencedCluster[];
  /** Databases besides the object itself. */
  readonly databases: readonly ReferencedDatabase[];
  /** Names of the Active-Active databases besides the object itself. */
  readonly activeActives: readonly string[];
  /** Remote clusters besides the object itself. */
  readonly remoteClusters: readonly ReferencedRemoteCluster[];
}

export interface ReferencedCluster {
  readonly name: string;
  /** `spec.storeUpgradePolicy`; undefined when it is not set. */
  readonly upgradePolicy: "major" | "latest" | undefined;
  /** The modules that it has; undefined while it has not reported them. */
  readonly modules: readonly ReferencedModule[] | undefined;
  /** Names in `spec.userDefinedModules`. */
  readonly userModules: readonly string[];
  /** Names of the Secrets that it reads, or that the operator makes for it. */
  readonly secrets: readonly string[];
  /** The service account of its nodes. */
  readonly account: string;
  /** Shards that its licence allows and that are taken; undefined until it has reported. */
  readonly shards: { readonly used: number; readonly limit: number } | undefined;
}

export interface ReferencedModule {
  /** `module_name`, and `display_name` where it is another one. */
  readonly names: readonly string[];
  /** The versions of databases that can use it; absent where an older operator wrote the status of the cluster. */
  readonly databaseVersions?: readonly string[];
}

export interface ReferencedDatabase {
  readonly name: string;
  readonly cluster: string | undefined;
  readonly port: number | undefined;
  /** Name of its Secret; undefined where only its cluster is asked about it. */
  readonly secret: string | undefined;
}

export interface ReferencedRemoteCluster {
  readonly name: string;
  readonly recName: string;
  readonly recNamespace: string;
}

/** A cluster by what its object says of itself. */
export function referencedCluster(
  name: string,
  spec: WrittenSpec,
  status: ClusterStatus | undefined,
): ReferencedCluster {
  return {
    name,
    upgradePolicy: spec.storeUpgradePolicy,
    modules: status?.modules?.map(({ name, displayName, databaseVersions }) => ({
      names: [...new Set([name, ...(displayName ? [displayName] : [])])],
      ...(databaseVersions === undefined ? {} : { databaseVersions }),
    })),
    userModules: (spec.userDefinedModules ?? []).map((module) => module.name),
    secrets: secretsOf(name, spec),
    account: spec.serviceAccountName ?? name,
    shards: shardsOfLicense(status),
  };
}

function secretsOf(name: string, spec: WrittenSpec): readonly string[] {
  const { userDefinedModules = [], licenseSecretName, clusterCredentialSecretName } = spec;
  const modules = userDefinedModules.map(({ source, credentialsSecret }) => [
    credentialsSecret,
    source.https?.credentialsSecret,
    source.http?.credentialsSecret,
  ]);
  const { credentialsSecret, authoritySecret, nodeTlsSecret } = clusterNames;
  const own = [credentialsSecret(name), authoritySecret(name), nodeTlsSecret(name)];
  const named = [clusterCredentialSecretName, licenseSecretName, ...modules.flat()];
  return [...own, ...named.filter((one) => one !== undefined)];
}

type WrittenSpec = StoreEnterpriseCluster["spec"];

/** The cluster that is named, or the only one of the namespace when none is. */
export function clusterNamed(references: References, name: string | undefined): ReferencedCluster | undefined {
  const { clusters } = references;
  if (name === undefined) return clusters.length === 1 ? clusters[0] : undefined;
  return clusters.find((cluster) => cluster.name === name);
}

/** What there is, for a sentence: `clusters here: "rec"`. */
export function existingText(what: string, names: readonly string[]): string {
  return names.length === 0
    ? `there are no ${what} here`
    : `${what} here: ${names.map((name) => `"${name}"`).join(", ")}`;
}
