// What goes over the management API: the types of answers and bodies. Schemas of the answers lie with them in records/.
export type { RedisAclRecord, RoleRecord } from "./records/access.ts";
export type { CrdbTask, LinkHealth } from "./records/active-active.ts";
export type { ActionRecord } from "./records/actions.ts";
export type {
  ClusterPolicy,
  ClusterRecord,
  ClusterUpdate,
  ErrorBody,
  LicenseInstall,
  LicenseRecord,
  MaintenanceOn,
} from "./records/cluster.ts";
export type { ClientParametersRecord } from "./records/client-parameters.ts";
export type {
  BdbCertificate,
  BdbChange,
  BdbCreate,
  BdbPassword,
  BdbRecord,
  BdbRecover,
  BdbUpgrade,
} from "./records/databases.ts";
export type { EndpointRecord, ProxyRecord } from "./records/endpoints.ts";
export type { EventRecord } from "./records/events.ts";
export type { LocalInstance } from "./records/local.ts";
export type { ModuleRecord, ModuleUpload, ModuleUploaded } from "./records/modules.ts";
export type { NodeRecord } from "./records/nodes.ts";
export type { ShardInstanceRecord } from "./records/shards.ts";
export type { LastStatsRecord, MetricsRecord, StatsRecord } from "./records/stats.ts";
export type { UserChange, UserCreate, UserRecord } from "./records/users.ts";
