import type { BdbRecord } from "../../../ports/management/records.ts";
import type { Heard } from "../../../mechanisms/observe/hearing.ts";
import type { NearbyCluster, NearbyDatabase, Neighbours } from "../../../core/planner/admission/surroundings.ts";
import type { Release } from "../../../core/releases/release.ts";
import type { Redb } from "./cluster.ts";

/** What is around a database, as its cluster tells it. */
export function neighboursOf(
  release: Release,
  nearby: NearbyCluster | undefined,
  heard: Heard,
  { metadata }: Redb,
): Neighbours {
  const databases = nearby === undefined || "unreachable" in heard ? [] : nearbyDatabases(nearby.name, heard.bdbs);
  return {
    release,
    clusters: nearby === undefined ? [] : [nearby],
    databases: databases.filter(({ name }) => name !== metadata.name),
    activeActives: [],
    remoteClusters: [],
  };
}

/** Each of a thousand databases has the same neighbours but itself. */
const known = new WeakMap<readonly BdbRecord[], readonly NearbyDatabase[]>();

function nearbyDatabases(cluster: string, bdbs: readonly BdbRecord[]): readonly NearbyDatabase[] {
  const before = known.get(bdbs);
  if (before !== undefined) return before;
  const databases = bdbs.map(({ name, port }) => ({ name, port, cluster }));
  known.set(bdbs, databases);
  return databases;
}
