import { z } from "zod";
import type { ActiveActiveRecord } from "../../../core/api/records.ts";

/** `GET /v1/crdbs`: an Active-Active database as one participant knows it. */
export const ACTIVE_ACTIVE: z.ZodType<ActiveActiveRecord> = z
  .strictObject({
    guid: z.string(),
    name: z.string(),
    deleted: z.literal(true).exactOptional(),
    version: z.string(),
    participants: z.array(
      z.strictObject({
        name: z.string(),
        namespace: z.string().optional(),
        externalReplicationPort: z.int().optional(),
      }),
    ),
    configuration: z.record(z.string(), z.unknown()),
    edit: z.strictObject({ count: z.int().positive(), author: z.string() }),
  })
  .meta({ id: "ActiveActiveDatabase" });
