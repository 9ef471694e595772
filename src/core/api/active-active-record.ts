/**
 * What the participants of an Active-Active database agree on. Each participant keeps a copy in its own cluster, and joins
 * it with the copies of the others (src/core/planner/active-active/record.ts).
 */
export interface ActiveActiveRecord {
  /** uid of the object that was made first. */
  readonly guid: string;
  /** Name of its object on every participant. */
  readonly name: string;
  /** It was deleted on one participant, and nothing else counts any more. */
  readonly deleted?: true;
  /** Version that is asked for, for instance "8.0"; it only rises. */
  readonly version: string;
  /** Names of the remote clusters that stand for the participants. */
  readonly participants: readonly ActiveActiveParticipant[];
  /** `globalConfigurations` of the object without what is said here or differs from site to site. */
  readonly configuration: Readonly<Record<string, unknown>>;
  /** Which edit of participants and configuration this is: the highest count holds, and of equal ones the last author by name. */
  readonly edit: RecordEdit;
  /** Absent: no participant of release 0.4.0 has given any, and each has the number of its place in the list. */
  readonly numbers?: SiteNumbers;
}

/** An edit of what the participants of an Active-Active database agree on. */
interface RecordEdit {
  readonly count: number;
  readonly author: string;
}

/** Numbers of the sites of an Active-Active database. None is given twice, also not when its participant has left. */
export interface SiteNumbers {
  /** That of the next participant. */
  readonly next: number;
  /** The highest of the participants that were named at first: what has a higher one came when others may have held data. Absent: `next` - 1. */
  readonly first?: number;
  /** One for each participant. */
  readonly given: readonly { readonly name: string; readonly id: number }[];
  /** The edit whose participants have them: numbers of an edit that gave way are gone with it. */
  readonly edit: RecordEdit;
}

/** Which site of which Active-Active database a database is. */
export interface SiteOfDatabase {
  readonly guid: string;
  /** Number of the participant that has it, 1 to 63. */
  readonly site: number;
  /** How many slices the Active-Active database has, each of which is merged on its own. Absent: one, all of its keys. */
  readonly slices?: number;
}

/** A remote cluster as the operator knows it, for the links of this cluster: public facts alone. */
export interface RemoteSite {
  readonly name: string;
  /** It stands for this cluster itself. */
  readonly local?: true;
  /** Host name of its management API, and of its links unless `databaseSuffix` is there. */
  readonly host: string;
  /** Behind the name of a database: host name of its links. */
  readonly databaseSuffix?: string;
  /** The name that its certificates have. */
  readonly serverName: string;
  /** The authorities that sign its certificates, PEM; empty for this cluster. */
  readonly authorities: string;
}

export interface ActiveActiveParticipant {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly externalReplicationPort?: number | undefined;
  /** How many shards it has; absent: as many as the configuration says. */
  readonly shardCount?: number | undefined;
}
