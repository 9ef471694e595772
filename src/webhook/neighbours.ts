import type { StoreEnterpriseDatabase } from "../api/kinds.ts";
import type { Stored } from "../kube/kube.ts";
import { nearbyCluster, type NearbyDatabase, type Neighbours } from "../planner/admission/surroundings.ts";
import type { Release } from "../releases/release.ts";
import type { NamespaceObjects } from "./namespace-objects.ts";

/** What lies around the object `self` of the kind `kind`. */
export function neighboursIn(
  objects: NamespaceObjects,
  release: Release,
  self: { readonly kind: keyof NamespaceObjects; readonly name: string },
): Neighbours {
  const others = <T extends { readonly metadata: { readonly name: string } }>(
    kind: keyof NamespaceObjects,
    list: readonly T[],
  ): readonly T[] => (kind === self.kind ? list.filter(({ metadata }) => metadata.name !== self.name) : list);
  return {
    release,
    clusters: objects.clusters
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata, spec, status }) => nearbyCluster(metadata.name, spec, status)),
    databases: others("databases", objects.databases).map(nearbyDatabase),
    activeActives: others("activeActives", objects.activeActives).map(({ metadata }) => metadata.name),
    remoteClusters: others("remoteClusters", objects.remoteClusters).map(({ metadata, spec }) => ({
      name: metadata.name,
      recName: spec.recName,
      recNamespace: spec.recNamespace,
    })),
  };
}

function nearbyDatabase({ metadata, spec, status }: Stored<StoreEnterpriseDatabase>): NearbyDatabase {
  return {
    name: metadata.name,
    cluster: status?.cluster || spec.storeEnterpriseCluster?.name,
    port: status?.internalEndpoints?.[0]?.port ?? spec.databasePort,
  };
}
