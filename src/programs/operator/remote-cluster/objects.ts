import type { Copies } from "../../../mechanisms/observe/copies.ts";
import type { NamespaceObjects } from "../../../mechanisms/observe/neighbours.ts";

/** The objects of one namespace, as last heard of. */
export function objectsIn(copies: Copies, namespace: string): NamespaceObjects {
  const here = <T extends { readonly metadata: { readonly namespace?: string } }>(list: readonly T[]): readonly T[] =>
    list.filter(({ metadata }) => metadata.namespace === namespace);
  return {
    clusters: here(copies.clusters.list()),
    databases: here(copies.databases.list()),
    activeActives: here(copies.activeActives.list()),
    remoteClusters: here(copies.remoteClusters.list()),
  };
}
