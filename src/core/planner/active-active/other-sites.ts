import { PORTS } from "../../api/names.ts";
import type { ActiveActiveRecord, ClusterStateRecord, DatabaseRecord } from "../../api/records.ts";
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
  return participantsBeside(activeActives, activeActive)?.flatMap(({ id, participant }) => {
    const known = remoteSites.find((site) => site.name === participant.name);
    if (known === undefined || known.local === true) return [];
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

/** Names of the other sites that the operator has not made known yet. */
export function unknownSites(
  { activeActives = [], remoteSites = [] }: Known,
  { activeActive }: Pick<DatabaseRecord, "activeActive">,
): readonly string[] {
  const others = participantsBeside(activeActives, activeActive) ?? [];
  return others
    .map(({ participant }) => participant.name)
    .filter((name) => !remoteSites.some((site) => site.name === name));
}

/** With their numbers; a participant without one cannot be linked. Undefined of what is no site. */
function participantsBeside(
  activeActives: readonly ActiveActiveRecord[],
  activeActive: DatabaseRecord["activeActive"],
): readonly { readonly id: number; readonly participant: ActiveActiveRecord["participants"][number] }[] | undefined {
  const record = activeActive && recordOf(activeActives, activeActive.guid);
  if (record === undefined || record.deleted === true) return undefined;
  const numbered = record.participants.flatMap((participant) => {
    const id = siteNumber(record, participant.name);
    return id === undefined ? [] : [{ id, participant }];
  });
  const others = numbered.filter(({ id }) => id !== activeActive?.site);
  return others.length === numbered.length ? undefined : others;
}
