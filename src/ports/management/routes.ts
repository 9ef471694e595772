import type { ActiveActiveRecord } from "../../core/api/records.ts";
import type {
  ActionRecord,
  BdbCreate,
  BdbRecord,
  BdbUpgrade,
  ClusterRecord,
  ClusterUpdate,
  LicenseInstall,
  LicenseRecord,
  MaintenanceOn,
  ModuleRecord,
  ModuleUpload,
  ModuleUploaded,
  NodeRecord,
  UserChange,
  UserCreate,
  UserRecord,
} from "./records.ts";
import type { ManagementPermission } from "../../core/api/management-roles.ts";
import type { ProxyCommand, ProxyReply } from "./proxy-control.ts";

/** One operation: where it is, who may call it and why; the type parameters are its path parameters, body and reply. */
export interface Route<Params extends string, Body, Reply> {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path with `:name` parameters. */
  readonly path: string;
  /** The permission that a caller needs; `cluster`: only the cluster itself, with the credentials of its Secret. */
  readonly auth: "none" | "cluster" | ManagementPermission;
  readonly why: string;
  /** `archive`: a multipart form with one file field, `module` (§4.2). */
  readonly takes: "json" | "archive";
  readonly gives: "json" | "bytes";
  /** Types only, never set. */
  readonly types?: { readonly params: Record<Params, string | number>; readonly body: Body; readonly reply: Reply };
}

function route<Params extends string, Body, Reply>(
  method: Route<never, never, never>["method"],
  path: string,
  auth: Route<never, never, never>["auth"],
  why: string,
  carries: Partial<Pick<Route<never, never, never>, "takes" | "gives">> = {},
): Route<Params, Body, Reply> {
  return { method, path, auth, why, takes: "json", gives: "json", ...carries };
}

/** State of an engine process as the agent of its node sees it. */
export interface LocalInstance {
  readonly bdb: number;
  readonly instance: number;
  readonly state: "starting" | "serving" | "draining" | "stopped" | "crashed";
  readonly pid: number;
  readonly restarts: number;
  /** Highest launch number this node has used for it. */
  readonly launch: number;
  /** It ended when asked to; absent from nodes of older releases. */
  readonly clean?: boolean;
}

/** The management API (§4.2): server, client and docs derive from this table. */
export const routes = {
  bootstrap: route<
    never,
    undefined,
    { readonly bootstrap_status: { readonly state: "idle" | "joining_cluster" | "completed" } }
  >(
    "GET",
    "/v1/bootstrap",
    "none",
    "readiness probe of the node pod, which has no credentials; 200 once joined, 503 before",
  ),
  cluster: route<never, undefined, ClusterRecord>(
    "GET",
    "/v1/cluster",
    "view_cluster_info",
    "names the cluster and its leader",
  ),
  updateCluster: route<never, ClusterUpdate, ClusterRecord>(
    "PUT",
    "/v1/cluster",
    "update_cluster",
    "the operator reports its version, for the other participants of Active-Active databases",
  ),
  license: route<never, undefined, LicenseRecord>("GET", "/v1/license", "view_license", "the licence in force"),
  installLicense: route<never, LicenseInstall, LicenseRecord>(
    "PUT",
    "/v1/license",
    "install_new_license",
    "installs a signed licence, at any time; one that is not valid for this cluster is refused and the old one stays",
  ),
  nodes: route<never, undefined, readonly NodeRecord[]>(
    "GET",
    "/v1/nodes",
    "view_all_nodes_info",
    "addresses and state of every node",
  ),
  node: route<"uid", undefined, NodeRecord>("GET", "/v1/nodes/:uid", "view_all_nodes_info", "one node"),
  modules: route<never, undefined, readonly ModuleRecord[]>(
    "GET",
    "/v1/modules",
    "view_cluster_modules",
    "installed modules",
  ),
  uploadModule: route<never, ModuleUpload, ModuleUploaded>(
    "POST",
    "/v2/modules",
    "update_cluster",
    "installs a module: a form with the archive in the file field `module`",
    { takes: "archive" },
  ),
  deleteModule: route<"uid", undefined, ModuleRecord>(
    "DELETE",
    "/v2/modules/:uid",
    "update_cluster",
    "removes an installed module that no database uses",
  ),
  bdbs: route<never, undefined, readonly BdbRecord[]>("GET", "/v1/bdbs", "view_all_bdbs_info", "every database"),
  bdb: route<"uid", undefined, BdbRecord>("GET", "/v1/bdbs/:uid", "view_all_bdbs_info", "one database"),
  createBdb: route<never, BdbCreate, BdbRecord>("POST", "/v1/bdbs", "create_bdb", "creates a database"),
  updateBdb: route<"uid", Partial<BdbCreate>, BdbRecord>("PUT", "/v1/bdbs/:uid", "update_bdb", "changes a database"),
  deleteBdb: route<"uid", undefined, ActionRecord>(
    "DELETE",
    "/v1/bdbs/:uid",
    "delete_bdb",
    "removes a database and its data",
  ),
  upgradeBdb: route<"uid", BdbUpgrade, BdbRecord>(
    "POST",
    "/v1/bdbs/:uid/upgrade",
    "update_bdb_with_action",
    "moves a database to another version",
  ),
  crdbs: route<never, undefined, readonly ActiveActiveRecord[]>(
    "GET",
    "/v1/crdbs",
    "view_crdb",
    "Active-Active databases as this participant knows them, deleted ones marked; the other participants read it",
  ),
  putCrdb: route<"guid", ActiveActiveRecord, ActiveActiveRecord>(
    "PUT",
    "/v1/crdbs/:guid",
    "update_crdb",
    "merges a record with that of this participant for an Active-Active database; idempotent",
  ),
  actions: route<never, undefined, { readonly actions: readonly ActionRecord[] }>(
    "GET",
    "/v1/actions",
    "view_status_of_cluster_action",
    "every action that runs or has ended lately",
  ),
  action: route<"uid", undefined, ActionRecord>(
    "GET",
    "/v1/actions/:uid",
    "view_status_of_cluster_action",
    "one action",
  ),
  maintenanceOn: route<"uid", MaintenanceOn, ActionRecord>(
    "POST",
    "/v1/nodes/:uid/actions/maintenance_on",
    "start_node_action",
    "moves primaries, leadership and clients off a node",
  ),
  maintenanceOff: route<"uid", undefined, ActionRecord>(
    "POST",
    "/v1/nodes/:uid/actions/maintenance_off",
    "start_node_action",
    "takes a node back into service",
  ),
  nodeAction: route<"uid" | "action", undefined, ActionRecord>(
    "GET",
    "/v1/nodes/:uid/actions/:action",
    "view_status_of_cluster_action",
    "progress of a node action",
  ),
  users: route<never, undefined, readonly UserRecord[]>("GET", "/v1/users", "view_all_users_info", "every user"),
  user: route<"uid", undefined, UserRecord>("GET", "/v1/users/:uid", "view_all_users_info", "one user"),
  createUser: route<never, UserCreate, UserRecord>(
    "POST",
    "/v1/users",
    "create_user",
    "adds a user with credentials and a role",
  ),
  updateUser: route<"uid", UserChange, UserRecord>(
    "PUT",
    "/v1/users/:uid",
    "update_user",
    "changes name, role or password; it counts on each node once the node has the changed record",
  ),
  deleteUser: route<"uid", undefined, UserRecord>(
    "DELETE",
    "/v1/users/:uid",
    "delete_user",
    "removes a user; its credentials are refused from then on",
  ),
  localInstances: route<never, undefined, readonly LocalInstance[]>(
    "GET",
    "/v1/local/instances",
    "cluster",
    "the cluster leader asks a node about its own engine processes",
  ),
  localModule: route<"uid", undefined, Uint8Array>(
    "GET",
    "/v1/local/modules/:uid",
    "cluster",
    "a node fetches the shared object of an installed module from another one",
    { gives: "bytes" },
  ),
  localVouch: route<never, { readonly node: number }, { readonly promised_ms: number }>(
    "POST",
    "/v1/local/vouch",
    "cluster",
    "a node that does not reach the Kubernetes API asks the others not to take over its databases",
  ),
  localProxy: route<never, ProxyCommand, ProxyReply>(
    "POST",
    "/v1/local/proxy",
    "cluster",
    "the cluster leader holds and releases the endpoints of a node",
  ),
} as const;

export type RouteName = keyof typeof routes;

type TypesOf<N extends RouteName> = NonNullable<(typeof routes)[N]["types"]>;
export type ParamsOf<N extends RouteName> = TypesOf<N>["params"];
export type BodyOf<N extends RouteName> = TypesOf<N>["body"];
export type ReplyOf<N extends RouteName> = TypesOf<N>["reply"];

/** What a caller of the route gives: `params` where the path has some, `body` where one is read. */
export type RequestOf<N extends RouteName> = (keyof ParamsOf<N> extends never
  ? { readonly params?: undefined }
  : { readonly params: ParamsOf<N> }) &
  (BodyOf<N> extends undefined ? { readonly body?: undefined } : { readonly body: BodyOf<N> });
