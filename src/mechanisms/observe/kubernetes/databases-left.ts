import { clusterNameFor, homeOf } from "../../../core/api/database-home.ts";
import { isFault } from "#kit/base/fault";
import type { DatabaseLeft } from "../../../core/planner/view/cluster-view.ts";
import { faults } from "#kit/kube/faults";
import type { Kube, ResourceType, Stored } from "#kit/kube/kube";
import { Clusters, Databases } from "./kinds.ts";

/**
 * The databases that a cluster which is being deleted waits for: those that it has, and, while it has nodes, those that it is to make. A
 * database of another cluster is none of them, nor one whose cluster is not known.
 */
export async function readDatabasesLeft(
  kube: Kube,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  hasNodes: boolean,
): Promise<readonly DatabaseLeft[]> {
  const [clusters, databases] = await Promise.all([
    listUnlessUndefined(kube, Clusters, namespace),
    listUnlessUndefined(kube, Databases, namespace),
  ]);
  const names = clusters.map(({ metadata }) => metadata.name);
  return databases
    .filter((redb) => (hasNodes ? clusterNameFor(redb, names) : homeOf(redb.status ?? {})) === name)
    .map(({ metadata }) => ({ name: metadata.name, deleting: metadata.deletionTimestamp !== undefined }));
}

/** A definition that is gone, as when the bundle of another namespace was deleted, has taken its objects along. */
async function listUnlessUndefined<T>(
  kube: Kube,
  type: ResourceType<T>,
  namespace: string,
): Promise<readonly Stored<T>[]> {
  try {
    return (await kube.list(type, { namespace })).items;
  } catch (error) {
    if (isFault(error, faults.notFound)) return [];
    throw error;
  }
}
