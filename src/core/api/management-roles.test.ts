import assert from "node:assert/strict";
import { test } from "node:test";
import { MANAGEMENT_ROLES, mayManage, rolesWith, type ManagementPermission } from "./management-roles.ts";

const rules: readonly (readonly [rule: string, permission: ManagementPermission, roles: readonly string[]])[] = [
  [
    "databases are changed by admin, cluster_member and db_member",
    "update_bdb",
    ["admin", "cluster_member", "db_member"],
  ],
  [
    "databases are upgraded by the roles that change them",
    "update_bdb_with_action",
    ["admin", "cluster_member", "db_member"],
  ],
  ["modules are an administrator's", "update_cluster", ["admin"]],
  ["licences are installed by admin and user_manager", "install_new_license", ["admin", "user_manager"]],
];

for (const [rule, permission, roles] of rules) test(rule, () => assert.deepEqual(rolesWith(permission), roles));

test("every role but none may read", () => {
  assert.deepEqual(
    rolesWith("view_all_bdbs_info"),
    MANAGEMENT_ROLES.filter((role) => role !== "none"),
  );
});

test("a user_manager manages all users but administrators; other roles but admin manage no users", () => {
  const managed = MANAGEMENT_ROLES.map((role) => [role, MANAGEMENT_ROLES.filter((other) => mayManage(role, other))]);
  assert.deepEqual(Object.fromEntries(managed), {
    admin: MANAGEMENT_ROLES,
    cluster_member: [],
    cluster_viewer: [],
    db_member: [],
    db_viewer: [],
    user_manager: MANAGEMENT_ROLES.filter((role) => role !== "admin"),
    none: [],
  });
});
