import type { BdbRecord } from "../../../ports/management/records.ts";
import type { PollResult } from "../../../mechanisms/observe/management/polled-state.ts";
import type { ReferencedCluster, ReferencedDatabase, References } from "../../../core/planner/admission/references.ts";
import type { Release } from "../../../core/releases/catalogue/release.ts";
import type { Redb } from "./cluster.ts";

/** What a database refers to, as its cluster reports it. */
export function referencesOf(
  release: Release,
  nearby: ReferencedCluster | undefined,
  polled: PollResult,
  { metadata }: Redb,
): References {
  const databases =
    nearby === undefined || "unreachable" in polled ? [] : referencedDatabases(nearby.name, polled.bdbs);
  return {
    release,
    clusters: nearby === undefined ? [] : [nearby],
    databases: databases.filter(({ name }) => name !== metadata.name),
    activeActives: [],
    remoteClusters: [],
  };
}

/** Each of a thousand databases has the same neighbours but itself. */
const known = new WeakMap<readonly BdbRecord[], readonly ReferencedDatabase[]>();

function referencedDatabases(cluster: string, bdbs: readonly BdbRecord[]): readonly ReferencedDatabase[] {
  const before = known.get(bdbs);
  if (before !== undefined) return before;
  const databases = bdbs.map(({ name, port }) => ({ name, port, cluster, secret: undefined }));
  known.set(bdbs, databases);
  return databases;
}
