import { z } from "zod";
import type { Answered } from "./answered.ts";

const bytes = z.int().nonnegative();

/** `GET /v1/bdbs/<uid>/shards_plan/<count>`: how a database would get another number of shards. */
export const SHARDS_PLAN = z
  .strictObject({
    shards_count: z.int().positive().describe("How many shards it has."),
    shards_count_asked: z.int().positive().describe("How many it would have."),
    used_memory: bytes.describe("What the primaries use, in bytes: so much is copied."),
    copy_seconds: z
      .int()
      .positive()
      .describe("How long that may take on nodes at rest, in seconds; clients are served meanwhile."),
    shard_memory: bytes.describe("The share of each new shard, in bytes."),
    fullest_part: z
      .number()
      .min(0)
      .max(1)
      .exactOptional()
      .describe("The part of the keys that the fullest new shard would have, by 200 keys; absent where there are few."),
    shards: z
      .array(
        z.strictObject({
          assigned_slots: z.string(),
          node_uids: z.array(z.string()).describe("The node of its primary, and then that of its replica."),
        }),
      )
      .describe("The new shards."),
    nodes: z
      .array(
        z.strictObject({
          node_uid: z.string(),
          memory: bytes.describe("What the database may take of it now, in bytes."),
          memory_meanwhile: bytes.describe("While the former and the new shards are there."),
          memory_afterwards: bytes,
        }),
      )
      .describe("The nodes that have or get shards of it."),
    copying_node_uid: z.string().describe("The node that copies the keys."),
  })
  .meta({ id: "ShardsPlan" });

export type ShardsPlanRecord = Answered<typeof SHARDS_PLAN>;
