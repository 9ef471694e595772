import { z } from "zod";
import { REDIS_ACL, ROLE } from "../records/access.ts";
import { route } from "../route.ts";

/** Roles of users, and what clients of databases may do. */
export const accessRoutes = {
  roles: route("GET", "/v1/roles", "view_all_roles_info", "the roles that users have; all are built in", z.array(ROLE)),
  role: route("GET", "/v1/roles/:uid", "view_all_roles_info", "one role", ROLE),
  redisAcls: route(
    "GET",
    "/v1/redis_acls",
    "view_all_redis_acls_info",
    "what clients of databases may do: the one rule that there is, everything",
    z.array(REDIS_ACL),
  ),
  redisAcl: route("GET", "/v1/redis_acls/:uid", "view_all_redis_acls_info", "one rule", REDIS_ACL),
} as const;
