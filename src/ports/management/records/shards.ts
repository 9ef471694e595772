import { z } from "zod";
import { DATABASE_VERSIONS } from "../../../core/api/records.ts";
import type { Answered } from "./answered.ts";

/** `GET /v1/shards`: one engine process of a database. uids are texts here and numbers in lists, as such APIs have it. */
export const SHARD = z
  .strictObject({
    uid: z.string().describe("Unique in the cluster and never used again."),
    bdb_uid: z.int().positive(),
    node_uid: z.string(),
    role: z.enum(["master", "slave"]),
    status: z.enum(["active", "inactive"]).describe("Whether its engine serves."),
    detailed_status: z.enum(["ok", "loading", "down"]),
    loading: z.strictObject({ status: z.enum(["in_progress", "idle"]) }),
    sync: z
      .strictObject({ status: z.enum(["idle", "link_down"]) })
      .describe("`link_down`: a replica that does not receive what its primary writes."),
    shard: z
      .int()
      .positive()
      .exactOptional()
      .describe(
        "Number of the shard in its database whose primary or replica it is; never from nodes of releases before 0.6.0.",
      ),
    epoch: z
      .int()
      .nonnegative()
      .exactOptional()
      .describe("Number of changes of primary of that shard so far; never from nodes of releases before 0.6.0."),
    assigned_slots: z.string().describe("Its slice of the key space, for instance 0-16383."),
    port: z.int().positive(),
    tls: z
      .literal(true)
      .exactOptional()
      .describe("The port speaks TLS alone; absent while it does not, and from nodes of releases before 0.4.0."),
    redis_version: z.enum(DATABASE_VERSIONS),
    engine: z.string().describe("What the running process reports of itself; empty while it is down."),
    offset: z.int().nonnegative().describe("Replication offset, in bytes."),
    lag_bytes: z.int().describe("For a replica the primary's offset minus its own; -1 when unknown."),
    failed_starts: z
      .int()
      .positive()
      .exactOptional()
      .describe(
        "How often in a row its engine has ended before it served; absent of one that has not, and from nodes of releases before 0.5.0.",
      ),
    last_words: z
      .string()
      .exactOptional()
      .describe("What its engine said when it ended, where `failed_starts` or `crashes` is there."),
    crashes: z
      .int()
      .positive()
      .exactOptional()
      .describe(
        "How often in a row its engine has ended unasked within five minutes of serving; absent of one that has not, and from nodes of releases before 0.5.0.",
      ),
    ended_by: z
      .string()
      .exactOptional()
      .describe("What ended its engine last, for instance a signal, where `crashes` is there."),
    in_sync: z
      .boolean()
      .describe("For a replica: it is close to its primary, and may succeed it without losing what was acknowledged."),
  })
  .meta({ id: "Shard" });

export type ShardInstanceRecord = Answered<typeof SHARD>;
