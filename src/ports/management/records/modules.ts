import { z } from "zod";
import { DATABASE_VERSIONS } from "../../../core/api/records.ts";
import type { Answered } from "./answered.ts";

const FIELDS = {
  uid: z.string(),
  module_name: z.string(),
  display_name: z.string(),
  semantic_version: z.string(),
  platforms: z
    .record(z.string(), z.strictObject({ sha256: z.string().exactOptional() }))
    .describe("By name of the platform, for instance `rhel9/x86_64` (§2.5)."),
  is_bundled: z.boolean(),
  database_versions: z
    .array(z.enum(DATABASE_VERSIONS))
    .exactOptional()
    .describe(
      "Database versions whose engines bring it; absent from those that were installed, and from nodes of release 0.1.0.",
    ),
  compatible_redis_version: z
    .string()
    .exactOptional()
    .describe("Database version that it is for; absent from those that are bundled."),
};

/** `GET /v1/modules`. */
export const MODULE = z.strictObject(FIELDS).meta({ id: "Module" });

export type ModuleRecord = Answered<typeof MODULE>;

/** Answer of `POST /v2/modules`: the action ends when every node has the module. */
export const MODULE_UPLOADED = z.strictObject({ ...FIELDS, action_uid: z.string() }).meta({ id: "UploadedModule" });

export type ModuleUploaded = Answered<typeof MODULE_UPLOADED>;

/** Form of `POST /v2/modules` (§4.2). */
export interface ModuleUpload {
  /** The archive, in memory or on disk. */
  readonly module: Blob;
}
