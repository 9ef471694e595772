import { z } from "zod";
import { MANAGEMENT_ROLES, type ManagementRole } from "../../../core/api/management-roles.ts";
import type { Answered } from "./answered.ts";

/** `GET /v1/users`; uid 1 is the cluster's own administrator, whose credentials are in the Secret named as the cluster. */
export const USER = z
  .strictObject({
    uid: z.int().positive(),
    email: z.string().describe("What the user logs in with."),
    name: z.string(),
    role: z.enum(MANAGEMENT_ROLES),
    role_uids: z
      .array(z.int().positive())
      .exactOptional()
      .describe("uid of the role in `/v1/roles`; absent from nodes of older releases."),
  })
  .meta({ id: "User" });

export type UserRecord = Answered<typeof USER>;

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
