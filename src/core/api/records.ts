import type { ActiveActiveRecord, RemoteSite, SiteOfDatabase } from "./active-active-record.ts";
import type { Formatted } from "./format.ts";
import type { Finding } from "./parts.ts";
import type { ManagementRole } from "./management-roles.ts";
import type { ClientParameters } from "./settings/client-parameters.ts";
import type { SettingValues } from "./settings/types.ts";
import type { NamedShard, ReshapeIntent, ShardRecord } from "./shard-record.ts";
import type { StoreVersion } from "./store-versions.ts";

export type {
  ActiveActiveParticipant,
  ActiveActiveRecord,
  RemoteSite,
  SiteNumbers,
  SiteOfDatabase,
} from "./active-active-record.ts";
export type {
  InstanceRecord,
  InSyncSet,
  MoverPlace,
  ReshapeIntent,
  ShardRecord,
  ShardRecovery,
  SwitchoverIntent,
} from "./shard-record.ts";
export { RESHAPE_PHASES, type ReshapePhase } from "./shard-record.ts";
export { type AskedVersion, DATABASE_VERSIONS, STORE_VERSIONS, type StoreVersion } from "./store-versions.ts";

/** Life of a database as `GET /v1/bdbs` and the REDB status show it. */
export const DATABASE_STATES = [
  "pending",
  "active",
  "active-change-pending",
  "delete-pending",
  "import-pending",
  "creation-failed",
  "recovery",
] as const;
export type DatabaseState = (typeof DATABASE_STATES)[number];

/** A module that a database uses. */
export interface DatabaseModule {
  readonly name: string;
  /** Arguments that it is loaded with, besides those of its own. */
  readonly args: string;
}

/** One build of a module that is not bundled with the engines; every node keeps its shared object. */
export interface InstalledModule {
  /** 32 hexadecimal digits, the same for the same shared object. */
  readonly uid: string;
  readonly name: string;
  readonly displayName: string;
  readonly version: string;
  /** Database version that it is for. */
  readonly compatible: string;
  /** `rhel9/x86_64`; empty when it runs on each. */
  readonly platforms: readonly string[];
  /** Of the shared object, hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
  readonly args: string;
  readonly actionUid: string;
  readonly installedTime: string;
}

/** Progress of `POST /v1/bdbs/<uid>/upgrade`; present while it runs. */
export interface DatabaseUpgrade {
  readonly target: StoreVersion;
  readonly actionUid: string;
  readonly startedAt: string;
  readonly mayDiscardData: boolean;
  /** How many shards are upgraded at the same time, 0 for no limit; absent: the request did not say it, and the database does. */
  readonly parallelShards?: number;
  /** Why it does not move at the moment; empty while it moves. */
  readonly waitingFor: string;
}

/** What a record says of the passwords of its database. */
export interface PasswordsState {
  /** The revision of the set of passwords that nodes shall use: another number makes them read the Secret again. */
  readonly revision: number;
  /** ISO instant at which the next former password ends; absent while no overlap runs. */
  readonly overlapUntil?: string;
  /**
   * Whom engines let in: `shared` the cluster and clients, `closed` the cluster alone. Absent: a release before 0.4.0 made the
   * database, and its engines know the passwords of clients only.
   */
  readonly engines?: "shared" | "closed";
  /** The rotation of the cluster's password at engines; absent: the password was never replaced. */
  readonly rotation?: EngineRotation;
}

/** How far another password of the cluster is at the engines of a database. */
export interface EngineRotation {
  /** `offered`: engines accept the next password too; `used`: it is used, and the former one still accepted; `ended`: the former one is refused. */
  readonly state: "offered" | "used" | "ended";
  /** When the password of the management API was replaced, which this one follows, as an ISO instant. */
  readonly since: string;
  /** The step of the passwords in the Secret that nodes shall use. */
  readonly step: number;
}

/** What a record says of the certificate of its endpoints, all PEM; the key is in the Secret of the database. */
export interface ShownCertificate {
  readonly certificate: string;
  /** The authorities that must have signed the certificate of a client; empty: none is named. */
  readonly clientAuthorities: string;
}

/** Result of the last asynchronous change. */
export interface DatabaseAction {
  readonly uid: string;
  readonly name: string;
  readonly status: "queued" | "running" | "completed" | "failed";
  /** 0 to 100. */
  readonly progress: number;
  readonly error?: string;
}

/**
 * The truth about one database: one ConfigMap each, changed only with compare-and-swap by the cluster leader (or by the
 * management API of any node, for what a user asks). Its settings are declared in settings/database-settings.ts. Holds no
 * secret.
 */
export interface DatabaseRecord extends SettingValues, Formatted {
  readonly uid: number;
  readonly name: string;
  /** Endpoint port, the same on each node. */
  readonly port: number;
  /** The port for clients of a cluster, the same on each node, which is kept once it is given; absent: they have connected as all others so far. */
  readonly clusterPort?: number;
  /** The version that the database is at: every serving instance has it. */
  readonly storeVersion: StoreVersion;
  /** The status of its worst shard: `recovery` as long as one shard is in recovery. */
  readonly status: DatabaseState;
  /** Modules that are not bundled; absent: none. */
  readonly modules?: readonly DatabaseModule[];
  /** Those that serve clients. */
  readonly shards: readonly ShardRecord[];
  /** The number of shards that is asked for; absent: as many as it has. */
  readonly shardCount?: number;
  /** The shards that are named, in order, as many as `shardCount`; absent: those that it has, or ones with even slots for another number. */
  readonly shardSlots?: readonly NamedShard[];
  /** A user agreed that keys which no shard would have are left behind by the number that is asked for. */
  readonly mayDiscardMisplaced?: true;
  /** Absent: its shards stay as they are. */
  readonly reshape?: ReshapeIntent;
  /** id that the next new shard gets, never given twice; absent: one more than the highest in use. */
  readonly nextShard?: number;
  /** Rises each time that a slot goes from one shard to another, in the same write; absent: 0, none ever has. */
  readonly tableEpoch?: number;
  /** id that the next instance gets. */
  readonly nextInstance: number;
  readonly upgrade?: DatabaseUpgrade;
  readonly lastAction?: DatabaseAction;
  /** The state of its passwords, which are in a Secret; absent: they were never changed by a release that lets old and new overlap. */
  readonly passwords?: PasswordsState;
  /** Absent: no client has set a parameter of the engines; nodes of releases before 0.4.0 keep it and do not apply it. */
  readonly clientParameters?: ClientParameters;
  /** Absent: its endpoints have no certificate. */
  readonly certificate?: ShownCertificate;
  /** Absent: it is no site of an Active-Active database, or a release before 0.4.0 made it and no operator has said so yet. */
  readonly activeActive?: SiteOfDatabase;
  /** Clients are not let in: what the other sites hold is not here yet. */
  readonly awaitsSites?: true;
  /** Of the shards of a site that awaits others: those at which that is here already, each with the start of its primary. Absent: none. */
  readonly sitesJoined?: readonly string[];
  /** Why the last look found something to wait for outside an upgrade; absent when nothing is. */
  readonly waitingFor?: string;
  /** What a user must clear before its primary moves; absent when nothing is, and from nodes of releases before 0.5.0. */
  readonly obstacle?: Finding;
  /** Sentences about acknowledged writes that a crash may have cost, newest last, at most 10 and one more for each further shard. */
  readonly lossReports: readonly string[];
  readonly createdTime: string;
  readonly lastChangedTime: string;
}

/** A node that is being left, has been left, or is being taken back. */
export interface NodeMaintenance {
  readonly node: number;
  /** `request` lasts until maintenance_off; `shutdown` was asked for by the node's own agent, which ends it when it is back. */
  readonly cause: "request" | "shutdown";
  /** Leadership of the cluster leaves the node too. */
  readonly demote: boolean;
  readonly state: "evacuating" | "on" | "returning";
  readonly since: string;
  /** Why it does not move at the moment; empty while it moves. */
  readonly waitingFor: string;
  readonly action: DatabaseAction;
}

/** Asynchronous work that is over. */
export interface FinishedAction extends DatabaseAction {
  /** `bdb:<uid>` or `node:<uid>`. */
  readonly object: string;
}

/** A database that was deleted as it was asked for: nodes that were away meanwhile remove its data when they are back. */
export interface DeletedDatabase {
  readonly uid: number;
  /** Tells databases apart that had the same uid, because the records were restored from an older copy in between. */
  readonly createdTime: string;
  readonly at: string;
}

/** A user of the management API. */
export interface ClusterUser {
  readonly uid: number;
  /** What the user logs in with. */
  readonly email: string;
  readonly name: string;
  readonly role: ManagementRole;
  /** The Secret with the hash of the password, key `hash`; another one for each password. */
  readonly secret: string;
}

/** The truth about the cluster itself: one ConfigMap, changed with compare-and-swap. */
export interface ClusterStateRecord extends Formatted {
  readonly createdTime: string;
  /** uid that the next database gets; never reused. */
  readonly nextDatabase: number;
  /** At most one entry a node. */
  readonly maintenance: readonly NodeMaintenance[];
  /** Modules that were uploaded or downloaded; absent: none. */
  readonly modules?: readonly InstalledModule[];
  /** The signed licence as it was installed; absent: the trial. */
  readonly license?: string;
  /** Number that the next Secret of a user gets, never reused; absent: 1. Leaders of releases before 0.4.0 give them other names. */
  readonly nextUserSecret?: number;
  /** uid that the next user gets, never given twice; absent, as from leaders of releases before 0.5.0: one more than the highest in use. */
  readonly nextUser?: number;
  /** Users of the management API besides the administrator of the cluster; absent: none. */
  readonly users?: readonly ClusterUser[];
  /** Version that the operator of the cluster reported; absent: none was reported. */
  readonly operator?: string;
  /** Which versions its databases may be moved to (§2.2); absent: every one. */
  readonly upgradePolicy?: SettingValues["upgradePolicy"];
  /** Active-Active databases that the cluster takes part in, and the last ones that were deleted; absent: none. */
  readonly activeActives?: readonly ActiveActiveRecord[];
  /** The remote clusters that participants are; absent: no operator of release 0.4.0 has written them. */
  readonly remoteSites?: readonly RemoteSite[];
  /** How long data that no record asks for is kept, in days; absent: 7, as everywhere before release 0.4.0 could say it. */
  readonly setAsideRetentionDays?: number;
  /** Newest last, at most 200. Absent: none was deleted since nodes of release 0.4.0 lead; older leaders keep it and add none. */
  readonly deleted?: readonly DeletedDatabase[];
  /** Newest last, at most 50. */
  readonly finished: readonly FinishedAction[];
}
