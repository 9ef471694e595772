import type { ManagementRole } from "../../core/api/management-roles.ts";
import type { DatabaseState, StoreVersion } from "../../core/api/records.ts";
import type { WireSettings } from "../../core/api/settings/types.ts";
import type { LicenseState } from "../../core/api/states.ts";

/** `GET /v1/nodes`. Field names are those of such APIs in the field. */
export interface NodeRecord {
  readonly uid: number;
  readonly addr: string;
  readonly status: "active" | "down" | "provisioning" | "decommissioning";
  /** True between maintenance_on and maintenance_off: holds no primary, accepts no clients. */
  readonly maintenance: boolean;
  /** Node tag of the release that its image belongs to, for instance 8.2.0-25.12. */
  readonly software_version: string;
  readonly role: "leader" | "member";
  /** The proxy runs, has the newest record of each database, and accepts clients. */
  readonly accepts_clients: boolean;
  readonly os_name: string;
  readonly architecture: string;
  readonly cores: number;
  readonly total_memory: number;
  readonly shard_count: number;
  readonly shard_list: readonly number[];
  readonly uptime: number;
  readonly supported_database_versions: readonly SupportedDatabaseVersion[];
}

export interface SupportedDatabaseVersion {
  readonly db_type: "redis";
  readonly redis_version: StoreVersion;
  /** What the engine reports of itself, for instance "redis 8.0.2". */
  readonly engine: string;
  /** True when the engine's own major.minor differs from `redis_version`. */
  readonly stand_in: boolean;
}

/** One engine process as its database shows it. */
export interface ShardInstanceRecord {
  readonly uid: number;
  readonly node_uid: number;
  readonly role: "primary" | "replica";
  readonly status: "active" | "down" | "starting" | "syncing";
  readonly port: number;
  readonly redis_version: StoreVersion;
  /** What the running process reports of itself; empty while it is down. */
  readonly engine: string;
  /** Replication offset; for a replica `lag_bytes` is the primary's offset minus its own, -1 when unknown. */
  readonly offset: number;
  readonly lag_bytes: number;
  readonly in_sync: boolean;
}

/** `GET /v1/bdbs`. Nodes give every setting; those of an older release lack the ones that came later. */
export interface BdbRecord extends WireSettings {
  readonly uid: number;
  readonly name: string;
  readonly type: "redis";
  readonly status: DatabaseState;
  /** Full version of the serving engine, for instance "8.0.2". */
  readonly version: string;
  /** The serving engine's name and version, with the stand-in marked: "8.2 (stand-in: redis 8.0.2)". */
  readonly version_display: string;
  /** Whether the serving engine stands in for that of the database version; absent while none serves, and from nodes of older releases. */
  readonly stand_in?: boolean;
  readonly redis_version: StoreVersion;
  readonly port: number;
  readonly shards_count: number;
  readonly shard_list: readonly ShardInstanceRecord[];
  /** Number of changes of primary so far, summed over shards. */
  readonly epoch: number;
  readonly endpoints: readonly {
    readonly uid: string;
    readonly dns_name: string;
    readonly port: number;
    readonly addr: readonly string[];
  }[];
  readonly module_list: readonly { readonly module_name: string; readonly semantic_version: string }[];
  /** Why a change waits; empty when none does. */
  readonly waiting_for: string;
  readonly loss_reports: readonly string[];
  readonly action_uid: string;
  readonly created_time: string;
  readonly last_changed_time: string;
}

/** `GET /v1/modules`. */
export interface ModuleRecord {
  readonly uid: string;
  readonly module_name: string;
  readonly display_name: string;
  readonly semantic_version: string;
  readonly platforms: Readonly<Record<string, object>>;
  readonly is_bundled: boolean;
  /** Database version that it is for; absent from those that are bundled. */
  readonly compatible_redis_version?: string;
}

/** Form of `POST /v2/modules` (§4.2). */
export interface ModuleUpload {
  /** The archive. */
  readonly module: Uint8Array<ArrayBuffer>;
}

/** Answer of `POST /v2/modules`: the action ends when every node has the module. */
export interface ModuleUploaded extends ModuleRecord {
  readonly action_uid: string;
}

/** `GET /v1/cluster`. */
export interface ClusterRecord {
  readonly name: string;
  readonly created_time: string;
  readonly leader_uid: number;
  /** Node tags differ: the cluster is between two versions. */
  readonly upgrade_mode: boolean;
  /** Version of the operator that manages the cluster; absent until it has reported it, and from nodes of older releases. */
  readonly operator_version?: string;
}

/** Body of `PUT /v1/cluster`. */
export interface ClusterUpdate {
  readonly operator_version: string;
}

/** `GET /v1/license`. */
export interface LicenseRecord {
  /** The signed text; empty for the trial. */
  readonly license: string;
  /** Whether it is in force; absent from nodes of older releases. */
  readonly state?: LicenseState;
  /** Why it is not in force; empty when it is. */
  readonly reason?: string;
  readonly type: "trial" | "paid";
  readonly cluster_name: string;
  readonly owner: string;
  readonly expired: boolean;
  readonly activation_date: string;
  readonly expiration_date: string;
  readonly shards_limit: number;
  readonly shards_usage: number;
  readonly features: readonly string[];
}

/** `GET /v1/actions`. */
export interface ActionRecord {
  readonly action_uid: string;
  readonly name: string;
  readonly object_name: string;
  readonly status: "queued" | "running" | "completed" | "failed";
  readonly progress: number;
  readonly error?: string;
}

/** Every error answer of the management API; `message` repeats `description`. */
export interface ErrorBody {
  readonly error_code: string;
  readonly description: string;
  readonly message: string;
}

/** Body of `POST /v1/bdbs`; `PUT` takes any subset of it. */
export interface BdbCreate extends WireSettings {
  readonly name: string;
  readonly port?: number;
  readonly shards_count?: number;
  readonly redis_version?: StoreVersion;
  readonly authentication_redis_pass?: string;
  /** Modules that are not bundled; cannot be changed later. */
  readonly module_list?: readonly { readonly module_name: string; readonly module_args?: string }[];
}

/** Body of `PUT /v1/license`. */
export interface LicenseInstall {
  readonly license: string;
}

/** Body of `POST /v1/bdbs/<uid>/upgrade`. */
export interface BdbUpgrade {
  readonly store_version?: string;
  readonly may_discard_data?: boolean;
}

/** Body of `POST /v1/nodes/<uid>/actions/maintenance_on`. */
export interface MaintenanceOn {
  /** Hand leadership to another node too. */
  readonly demote_node?: boolean;
}

/** `GET /v1/users`; uid 1 is the cluster's own administrator, whose credentials are in the Secret named as the cluster. */
export interface UserRecord {
  readonly uid: number;
  /** What the user logs in with. */
  readonly email: string;
  readonly name: string;
  readonly role: ManagementRole;
}

/** Body of `POST /v1/users`. */
export interface UserCreate {
  readonly email: string;
  readonly password: string;
  readonly role: ManagementRole;
  /** `email` when absent. */
  readonly name?: string;
}

/** Body of `PUT /v1/users/<uid>`. */
export type UserChange = Partial<Omit<UserCreate, "email">>;
