import { z } from "zod";
import type { Answered } from "./answered.ts";

/** `GET /v1/logs`: something that happened to the cluster. */
export const EVENT = z
  .strictObject({
    time: z.iso.datetime(),
    type: z.enum(["cluster_created", "bdb_created", "bdb_changed", "module_installed", "node_started", "node_left"]),
    bdb_uid: z.int().positive().exactOptional(),
    node_uid: z.int().positive().exactOptional(),
    name: z.string().exactOptional().describe("Of the database or the module."),
  })
  .meta({ id: "Event" });

export type EventRecord = Answered<typeof EVENT>;
