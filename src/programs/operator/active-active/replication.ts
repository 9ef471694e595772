import { isFault } from "#kit/base/fault";
import type { ActiveActiveRecord } from "../../../core/api/records.ts";
import { replicationOf, type LinkFacts, type Replication } from "../../../core/planner/active-active/replication.ts";
import type { SiteRecords } from "../../../mechanisms/observe/sites/sites.ts";
import type { ManagementClient } from "../../../ports/management/client.ts";
import { faults } from "../../../ports/management/faults.ts";
import type { Reaadb } from "./view.ts";

/** The facts about the own site beside its link. */
export interface OwnSite {
  /** What its cluster reports of the link; undefined while the cluster does not answer. */
  readonly link: LinkFacts | undefined;
  readonly self: string | undefined;
  /** Undefined while the cluster was not asked for anything else. */
  readonly nodes: SiteRecords["nodes"] | undefined;
  /** Undefined while it is not worked out, because the cluster is suspended. */
  readonly record: ActiveActiveRecord | undefined;
}

/** Whether data crosses, also while nothing else may be done for the database. */
export function replicationAt(reaadb: Reaadb, site: OwnSite): Replication {
  const { link, self, nodes = [], record } = site;
  return replicationOf({
    self,
    participants: reaadb.spec.participatingClusters.map(({ name }) => name),
    record,
    olderNodes: nodes
      .filter(({ capabilities = [] }) => !capabilities.includes("site-links"))
      .map(({ uid, software_version }) => `node ${uid} (${software_version})`),
    link,
  });
}

/** Asks the own cluster how the link of the database `guid` is; undefined when it does not say. */
export async function observeLink(client: ManagementClient, guid: string | undefined): Promise<LinkFacts | undefined> {
  if (guid === undefined) return undefined;
  try {
    const { cause, awaits_sites, sites } = await client.call("crdbHealth", { params: { guid } });
    return {
      cause,
      awaitsSites: awaits_sites,
      sites: sites.map(({ behind_ms: behindMs, unconfirmed_ms: unconfirmedMs, ...site }) => {
        const { name, state, since, cause: why, agreement } = site;
        return { name, state, since, cause: why, behindMs, unconfirmedMs, agreement };
      }),
    };
  } catch (error) {
    // nodes of older releases do not know the path, and one that does not answer says nothing of its link
    if (!Object.values(faults).some((fault) => isFault(error, fault))) throw error;
    return undefined;
  }
}
