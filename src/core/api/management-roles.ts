/** What a user of the management API may be; `none` may do nothing. */
export const MANAGEMENT_ROLES = [
  "admin",
  "cluster_member",
  "cluster_viewer",
  "db_member",
  "db_viewer",
  "user_manager",
  "none",
] as const;

export type ManagementRole = (typeof MANAGEMENT_ROLES)[number];

const VIEWERS = ["admin", "cluster_member", "cluster_viewer", "db_member", "db_viewer", "user_manager"] as const;
const DATABASE_OWNERS = ["admin", "cluster_member", "db_member"] as const;
const USER_OWNERS = ["admin", "user_manager"] as const;
const ADMIN = ["admin"] as const;

/** The roles that hold each permission of the management API. */
const HOLDERS = {
  view_cluster_info: VIEWERS,
  view_license: VIEWERS,
  install_new_license: USER_OWNERS,
  view_all_nodes_info: VIEWERS,
  view_cluster_modules: VIEWERS,
  update_cluster: ADMIN,
  view_all_bdbs_info: VIEWERS,
  view_bdb_info: VIEWERS,
  view_all_shards_info: VIEWERS,
  view_all_proxies_info: VIEWERS,
  view_all_redis_acls_info: VIEWERS,
  view_all_roles_info: VIEWERS,
  view_cluster_stats: VIEWERS,
  view_all_nodes_stats: VIEWERS,
  view_all_bdb_stats: VIEWERS,
  view_all_shard_stats: VIEWERS,
  view_logged_events: VIEWERS,
  create_bdb: DATABASE_OWNERS,
  update_bdb: DATABASE_OWNERS,
  delete_bdb: DATABASE_OWNERS,
  update_bdb_with_action: DATABASE_OWNERS,
  start_bdb_recovery: DATABASE_OWNERS,
  start_bdb_export: DATABASE_OWNERS,
  view_crdb: VIEWERS,
  update_crdb: ADMIN,
  view_status_of_cluster_action: VIEWERS,
  start_node_action: ADMIN,
  view_all_users_info: USER_OWNERS,
  create_user: USER_OWNERS,
  update_user: USER_OWNERS,
  delete_user: USER_OWNERS,
} as const satisfies Record<string, readonly ManagementRole[]>;

export type ManagementPermission = keyof typeof HOLDERS;

/** The roles that hold `permission`, the mightiest first. */
export function rolesWith(permission: ManagementPermission): readonly ManagementRole[] {
  return HOLDERS[permission];
}

/** Whether `role` may touch a user of the role `other`: no user gives, changes or takes more than its own role has. */
export function mayManage(role: ManagementRole, other: ManagementRole): boolean {
  return role === "admin" || (role === "user_manager" && other !== "admin");
}
