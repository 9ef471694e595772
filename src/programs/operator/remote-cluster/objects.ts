import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { NamespaceObjects } from "../../../mechanisms/observe/kubernetes/references.ts";

/** The objects of one namespace, as last observed. */
export function objectsIn(cache: InformerCache, namespace: string): NamespaceObjects {
  const here = <T extends { readonly metadata: { readonly namespace?: string } }>(list: readonly T[]): readonly T[] =>
    list.filter(({ metadata }) => metadata.namespace === namespace);
  return {
    clusters: here(cache.clusters.list()),
    databases: here(cache.databases.list()),
    activeActives: here(cache.activeActives.list()),
    remoteClusters: here(cache.remoteClusters.list()),
  };
}
