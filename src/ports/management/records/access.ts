import { z } from "zod";
import { MANAGEMENT_ROLES } from "../../../core/api/management-roles.ts";
import type { Answered } from "./answered.ts";

/** `GET /v1/roles`. Every role is built in. */
export const ROLE = z
  .strictObject({ uid: z.int().positive(), name: z.string(), management: z.enum(MANAGEMENT_ROLES) })
  .meta({ id: "Role" });

export type RoleRecord = Answered<typeof ROLE>;

/** `GET /v1/redis_acls`. */
export const REDIS_ACL = z
  .strictObject({
    uid: z.int().positive(),
    name: z.string(),
    acl: z.string().describe("Rules as engines write them."),
    bdbs: z.array(z.int().positive()).describe("uids of the databases whose clients have it."),
  })
  .meta({ id: "RedisAcl" });

export type RedisAclRecord = Answered<typeof REDIS_ACL>;
