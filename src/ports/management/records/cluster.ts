import { z } from "zod";
import { DATABASE_SETTINGS } from "../../../core/api/settings/database-settings.ts";
import { LICENSE_STATES } from "../../../core/api/states.ts";
import type { Answered } from "./answered.ts";

/** `GET /v1/bootstrap`. */
export const BOOTSTRAP = z
  .strictObject({
    bootstrap_status: z.strictObject({ state: z.enum(["idle", "joining_cluster", "completed"]) }),
  })
  .meta({ id: "Bootstrap" });

/** `GET /v1/cluster`. */
export const CLUSTER = z
  .strictObject({
    name: z.string(),
    created_time: z.string(),
    leader_uid: z.int().nonnegative().describe("0 while no node leads."),
    upgrade_mode: z.boolean().describe("Node tags differ: the cluster is between two versions."),
    operator_version: z
      .string()
      .exactOptional()
      .describe("Version of the operator that manages the cluster; absent until it has reported it."),
  })
  .meta({ id: "Cluster" });

export type ClusterRecord = Answered<typeof CLUSTER>;

/** Body of `PUT /v1/cluster`. */
export interface ClusterUpdate {
  readonly operator_version: string;
}

/** `GET /v1/cluster/policy`, and the body of `PUT`. */
export const CLUSTER_POLICY = z
  .strictObject({
    redis_upgrade_policy: DATABASE_SETTINGS.upgradePolicy.accepted,
    set_aside_retention_days: z
      .int()
      .min(1)
      .max(3650)
      .exactOptional()
      .describe(
        "How long nodes keep data that no record asks for, in days; absent from nodes of releases before 0.4.0.",
      ),
  })
  .meta({ id: "ClusterPolicy" });

export type ClusterPolicy = Answered<typeof CLUSTER_POLICY>;

/** `GET /v1/license`. `state` and `reason` are absent from nodes of older releases. */
export const LICENSE = z
  .strictObject({
    license: z.string().describe("The signed text; empty for the trial."),
    state: z.enum(LICENSE_STATES).exactOptional().describe("Whether it is in force."),
    reason: z.string().exactOptional().describe("Why it is not in force; empty when it is."),
    type: z.enum(["trial", "paid"]),
    cluster_name: z.string(),
    owner: z.string(),
    expired: z.boolean(),
    activation_date: z.string(),
    expiration_date: z.string(),
    shards_limit: z.int().nonnegative(),
    shards_usage: z.int().nonnegative(),
    features: z.array(z.string()),
  })
  .meta({ id: "License" });

export type LicenseRecord = Answered<typeof LICENSE>;

/** Body of `PUT /v1/license`. */
export interface LicenseInstall {
  readonly license: string;
}

/** Body of `POST /v1/nodes/<uid>/actions/maintenance_on`. */
export interface MaintenanceOn {
  /** Hand leadership to another node too. */
  readonly demote_node?: boolean;
}

/** Every error answer of the management API; `message` repeats `description`. */
export const ERROR = z
  .strictObject({ error_code: z.string(), description: z.string(), message: z.string() })
  .meta({ id: "Error" });

export type ErrorBody = Answered<typeof ERROR>;
