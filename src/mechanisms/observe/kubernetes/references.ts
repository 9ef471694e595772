import { databaseStatus, type DatabaseStatus } from "../../../core/api/database-status.ts";
import type {
  StoreEnterpriseActiveActiveDatabase,
  StoreEnterpriseCluster,
  StoreEnterpriseDatabase,
  StoreEnterpriseRemoteCluster,
} from "../../../core/api/kinds.ts";
import { databaseSecretOf } from "../../../core/api/names.ts";
import { versionOfDatabase } from "../../../core/api/older-status.ts";
import { DATABASE_VERSIONS } from "../../../core/api/records.ts";
import type { Kube, ResourceType, Stored } from "#kit/kube/kube";
import { ActiveActiveDatabases, Clusters, Databases, RemoteClusters } from "./kinds.ts";
import type { ReviewedExisting } from "../../../core/planner/admission/reviewed-database.ts";
import {
  referencedCluster,
  type ReferencedDatabase,
  type References,
} from "../../../core/planner/admission/references.ts";
import type { Release } from "../../../core/releases/catalogue/release.ts";

/** Every object of ours in one namespace. */
export interface NamespaceObjects {
  readonly clusters: readonly Stored<StoreEnterpriseCluster>[];
  readonly databases: readonly Stored<StoreEnterpriseDatabase>[];
  readonly activeActives: readonly Stored<StoreEnterpriseActiveActiveDatabase>[];
  readonly remoteClusters: readonly Stored<StoreEnterpriseRemoteCluster>[];
}

/** The objects of the product in a namespace, from the API server: as they are now. */
export async function readNamespaceObjects(kube: Kube, namespace: string): Promise<NamespaceObjects> {
  const list = async <T>(type: ResourceType<T>): Promise<readonly Stored<T>[]> =>
    (await kube.list(type, { namespace })).items;
  const [clusters, databases, activeActives, remoteClusters] = await Promise.all([
    list(Clusters),
    list(Databases),
    list(ActiveActiveDatabases),
    list(RemoteClusters),
  ]);
  return { clusters, databases, activeActives, remoteClusters };
}

/** What lies around the object `self` of the kind `kind`. */
export function referencesIn(
  objects: NamespaceObjects,
  release: Release,
  self: { readonly kind: keyof NamespaceObjects; readonly name: string },
): References {
  const others = <T extends { readonly metadata: { readonly name: string } }>(
    kind: keyof NamespaceObjects,
    list: readonly T[],
  ): readonly T[] => (kind === self.kind ? list.filter(({ metadata }) => metadata.name !== self.name) : list);
  return {
    release,
    clusters: objects.clusters
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata, spec, status }) => referencedCluster(metadata.name, spec, status)),
    databases: others("databases", objects.databases).map(referencedDatabase),
    activeActives: others("activeActives", objects.activeActives).map(({ metadata }) => metadata.name),
    remoteClusters: others("remoteClusters", objects.remoteClusters).map(({ metadata, spec }) => ({
      name: metadata.name,
      recName: spec.recName,
      recNamespace: spec.recNamespace,
    })),
  };
}

/** What the cluster made of a database, as its status says. */
export function existingOf(status: unknown): ReviewedExisting | undefined {
  const { data } = databaseStatus.safeParse(status ?? {});
  if (data?.databaseUID === undefined) return undefined;
  const version = versionOfDatabase(data);
  return {
    port: data.internalEndpoints?.[0]?.port,
    storeVersion: DATABASE_VERSIONS.find((known) => known === version),
    shards: shardsIn(data),
    cluster: data.cluster === "" ? undefined : data.cluster,
  };
}

/** Each shard is counted in one status; undefined while none is known. */
function shardsIn({ shardStatuses = {} }: DatabaseStatus): number | undefined {
  return Object.values(shardStatuses).reduce((sum, count) => sum + count, 0) || undefined;
}

function referencedDatabase({ metadata, spec, status }: Stored<StoreEnterpriseDatabase>): ReferencedDatabase {
  return {
    name: metadata.name,
    cluster: status?.cluster || spec.storeEnterpriseCluster?.name,
    port: status?.internalEndpoints?.[0]?.port ?? spec.databasePort,
    secret: spec.databaseSecretName ?? databaseSecretOf(metadata.name),
  };
}
