import { PORTS } from "../../api/names.ts";
import type { ClusterStateRecord, DatabaseRecord } from "../../api/records.ts";
import { siteNumber } from "./numbers.ts";
import { recordOf } from "./record.ts";

/** Another site of a database, and where its links are. */
export interface OtherSite {
  readonly id: number;
  /** Of the remote cluster that stands for it. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
  readonly authorities: string;
}

type Known = Pick<ClusterStateRecord, "activeActives" | "remoteSites">;

/**
 * The other sites of a database, in the order of the participants; undefined when it is none, its Active-Active database is deleted,
 * or this cluster takes part no more. A participant that the operator has not made known yet is left out.
 */
export function otherSites(
  { activeActives = [], remoteSites = [] }: Known,
  { name, activeActive }: Pick<DatabaseRecord, "name" | "activeActive">,
): readonly OtherSite[] | undefined {
  if (activeActive === undefined) return undefined;
  const record = recordOf(activeActives, activeActive.guid);
  if (record === undefined || record.deleted === true) return undefined;
  const own = record.participants.find((one) => siteNumber(record, one.name) === activeActive.site);
  if (own === undefined) return undefined;
  return record.participants.flatMap((participant) => {
    const id = siteNumber(record, participant.name);
    const known = remoteSites.find((site) => site.name === participant.name);
    if (participant === own || id === undefined || known === undefined || known.local === true) return [];
    const { host, databaseSuffix, serverName, authorities } = known;
    return [
      {
        id,
        name: participant.name,
        host: databaseSuffix === undefined ? host : `${name}${databaseSuffix}`,
        port: participant.externalReplicationPort ?? PORTS.replication,
        serverName,
        authorities,
      },
    ];
  });
}
