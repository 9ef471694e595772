import { z } from "zod";
import type { Answered } from "./answered.ts";

const bytes = z.int().nonnegative();

const shard = {
  assigned_slots: z.string(),
  node_uids: z.array(z.string()).describe("The node of its primary, and then that of its replica."),
  memory: bytes.describe("What it may use, in bytes."),
};

/** `GET /v1/bdbs/<uid>/shards_plan/<count>`: how a database would get other shards. */
export const SHARDS_PLAN = z
  .strictObject({
    shards_count: z.int().positive().describe("How many shards it has."),
    shards_count_asked: z.int().positive().describe("How many it would have."),
    shard_slots_asked: z.array(z.string()).describe("The slots of each shard that it would have."),
    used_memory: bytes.describe("What the primaries of shards that are replaced use, in bytes: so much is copied."),
    copy_seconds: z
      .int()
      .positive()
      .describe("How long that may take on nodes at rest, in seconds; clients are served meanwhile."),
    shard_memory: bytes.describe("The share of the largest new shard, in bytes."),
    shards: z
      .array(
        z.strictObject({
          ...shard,
          part_of_keys: z
            .number()
            .min(0)
            .max(1)
            .exactOptional()
            .describe(
              "Its part of the keys of all new shards, by 200 keys that are drawn; absent where there are few.",
            ),
        }),
      )
      .describe("The new shards."),
    kept_shards: z
      .array(z.strictObject(shard))
      .describe("Those that serve, and stay because their slots do: nothing of them is copied."),
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
