import { isFault } from "../../../core/base/fault.ts";
import type { ActiveActiveRecord } from "../../../core/api/records.ts";
import {
  replicationOf,
  type Replication,
  type ReplicationFacts,
} from "../../../core/planner/active-active/replication.ts";
import type { SiteRecords } from "../../../mechanisms/observe/sites/sites.ts";
import type { ManagementClient } from "../../../ports/management/client.ts";
import { faults } from "../../../ports/management/faults.ts";
import type { Reaadb } from "./view.ts";

/** What is known of the own site beside its link. */
export interface OwnSite {
  readonly client: ManagementClient;
  readonly self: string | undefined;
  /** Undefined while the cluster was not asked for anything else. */
  readonly nodes: SiteRecords["nodes"] | undefined;
  /** Undefined while it is not worked out, because the cluster is suspended. */
  readonly record: ActiveActiveRecord | undefined;
}

/** Asks the own cluster how its link is, also while nothing else may be done for the database. */
export async function observeReplication(reaadb: Reaadb, site: OwnSite): Promise<Replication> {
  const { client, self, nodes = [], record } = site;
  const guid = record?.guid ?? reaadb.status?.guid;
  return replicationOf({
    self,
    participants: reaadb.spec.participatingClusters.map(({ name }) => name),
    record,
    olderNodes: nodes
      .filter(({ capabilities = [] }) => !capabilities.includes("site-links"))
      .map(({ uid, software_version }) => `node ${uid} (${software_version})`),
    link: guid === undefined ? undefined : await linkOf(client, guid),
  });
}

async function linkOf(client: ManagementClient, guid: string): Promise<ReplicationFacts["link"]> {
  try {
    const { cause, awaits_sites, sites } = await client.call("crdbHealth", { params: { guid } });
    return {
      cause,
      awaitsSites: awaits_sites,
      sites: sites.map(({ name, state, since, cause: why }) => ({ name, state, since, cause: why })),
    };
  } catch (error) {
    // nodes of older releases do not know the path, and one that does not answer says nothing of its link
    if (!Object.values(faults).some((fault) => isFault(error, fault))) throw error;
    return undefined;
  }
}
