import { MANAGEMENT_ROLES, type ManagementRole } from "../../../../core/api/management-roles.ts";
import type { RedisAclRecord, RoleRecord } from "../../../../ports/management/records.ts";
import type { Records } from "../../records/records.ts";
import type { Handlers } from "../http/handler-call.ts";
import { refusals, refuse } from "../http/refusals.ts";

const NAMES: Readonly<Record<ManagementRole, string>> = {
  admin: "Admin",
  cluster_member: "Cluster Member",
  cluster_viewer: "Cluster Viewer",
  db_member: "DB Member",
  db_viewer: "DB Viewer",
  user_manager: "User Manager",
  none: "None",
};

/** uid of a role: the roles are built in and counted from 1. */
export function roleUid(role: ManagementRole): number {
  return MANAGEMENT_ROLES.indexOf(role) + 1;
}

type AccessRoutes = "roles" | "role" | "redisAcls" | "redisAcl";

/** The built-in roles, and the one rule that clients of databases have. */
export function accessHandlers({
  records,
}: {
  readonly records: Pick<Records, "databases">;
}): Pick<Handlers, AccessRoutes> {
  const roles: readonly RoleRecord[] = MANAGEMENT_ROLES.map((management) => ({
    uid: roleUid(management),
    name: NAMES[management],
    management,
  }));
  // the default user of an engine may do everything, and there is no other user
  const rules = (): readonly RedisAclRecord[] => [
    { uid: 1, name: "Full Access", acl: "+@all ~* &*", bdbs: records.databases().map(({ uid }) => uid) },
  ];
  return {
    roles: async () => roles,
    role: async ({ params }) => withUid(roles, params.uid) ?? refuseMissing("role", params.uid),
    redisAcls: async () => rules(),
    redisAcl: async ({ params }) => withUid(rules(), params.uid) ?? refuseMissing("rule", params.uid),
  };
}

function withUid<T extends { readonly uid: number }>(all: readonly T[], uid: string | undefined): T | undefined {
  return all.find((one) => String(one.uid) === uid);
}

function refuseMissing(what: string, uid = ""): never {
  throw refuse(refusals.noSuchObject, `there is no ${what} ${uid}`);
}
