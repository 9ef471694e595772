import { z } from "zod";
import type { Answered } from "./answered.ts";

/** `GET /v1/actions`: asynchronous work of the cluster, one entry each. */
export const ACTION = z
  .strictObject({
    action_uid: z.string(),
    name: z.string().describe("For instance `update_bdb`, `maintenance_on` or `install_module`."),
    object_name: z.string().describe("What it works on: `bdb:<uid>`, `node:<uid>` or `module:<uid>`."),
    status: z.enum(["queued", "running", "completed", "failed"]),
    progress: z.number().min(0).max(100).describe("In percent."),
    error: z.string().exactOptional().describe("Why it failed."),
  })
  .meta({ id: "Action" });

export type ActionRecord = Answered<typeof ACTION>;
