import type { ClusterObservation } from "../../observe/cluster.ts";
import { nearbyCluster, type Neighbours } from "../../planner/admission/surroundings.ts";
import type { Redb } from "./cluster.ts";

/** What is around a database, as its cluster tells it; how many shards are left is the cluster's own word to say. */
export function neighboursOf({ view, records }: ClusterObservation, { metadata }: Redb): Neighbours {
  const bdbs = "unreachable" in records ? [] : records.bdbs;
  return {
    release: view.operator,
    clusters: [{ ...nearbyCluster(view.name, view.spec, view.remembered), shards: undefined }],
    databases: bdbs
      .filter(({ name }) => name !== metadata.name)
      .map(({ name, port }) => ({ name, port, cluster: view.name })),
    activeActives: [],
    remoteClusters: [],
  };
}
