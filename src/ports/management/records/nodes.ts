import { z } from "zod";
import { DATABASE_VERSIONS } from "../../../core/api/records.ts";
import type { Answered } from "./answered.ts";

const SUPPORTED_VERSION = z
  .strictObject({
    db_type: z.literal("redis"),
    redis_version: z.enum(DATABASE_VERSIONS),
    engine: z.string().describe('What the engine reports of itself, for instance "redis 8.0.2".'),
    stand_in: z.boolean().describe("The engine's own major.minor differs from `redis_version`."),
    tls: z
      .boolean()
      .exactOptional()
      .describe(
        "It speaks TLS with the certificate of its node; absent from nodes of releases before 0.4.0, which use none.",
      ),
    modules: z
      .array(z.strictObject({ module_name: z.string(), semantic_version: z.string() }))
      .exactOptional()
      .describe("Modules that the engine brings; absent where it does not say, and from nodes of release 0.1.0."),
  })
  .meta({ id: "SupportedDatabaseVersion" });

/** Data on the volume of a node that no record asks for. */
export const SET_ASIDE = z
  .strictObject({
    id: z.string().describe("Names it on its node."),
    bdb: z.int().positive().describe("uid of the database that it is of."),
    name: z.string().describe("Name of that database; empty where a node of a release before 0.4.0 wrote the data."),
    instance: z.int().positive(),
    since: z.iso.datetime(),
    bytes: z.int().nonnegative(),
  })
  .meta({ id: "SetAside" });

/** What a node keeps on its volume of the record of a database that has vanished. */
const MISSING_RECORD = z
  .strictObject({
    bdb: z.int().positive().describe("uid of the database."),
    name: z.string(),
    created_time: z.string(),
    version: z.string().describe("The version that the API server had given to it."),
    digest: z.string().describe("SHA-256 of the record."),
    since: z.iso.datetime().describe("When the node missed it."),
  })
  .meta({ id: "MissingRecord" });

/** `GET /v1/nodes`. Field names are those of such APIs in the field. */
export const NODE = z
  .strictObject({
    uid: z.int().positive(),
    addr: z.string(),
    status: z.enum(["active", "down", "provisioning", "decommissioning"]),
    maintenance: z
      .boolean()
      .describe("Between maintenance_on and maintenance_off: it holds no primary and accepts no clients."),
    software_version: z
      .string()
      .describe("Node tag of the release that its image belongs to, for instance 8.2.0-25.12."),
    role: z.enum(["leader", "member"]),
    accepts_clients: z
      .boolean()
      .describe("Its proxy runs, has the newest record of each database, and accepts clients."),
    base_system: z
      .string()
      .exactOptional()
      .describe(
        "Base system of its image, for instance `rhel9`; absent where the image does not say, and from nodes of release 0.1.0 (§1.6).",
      ),
    capabilities: z
      .array(z.string())
      .exactOptional()
      .describe("What it can do that nodes of older releases cannot; absent from nodes of releases before 0.4.0."),
    os_name: z.string(),
    architecture: z.string(),
    cores: z.int().nonnegative(),
    total_memory: z.int().nonnegative().describe("Of its machine, in bytes."),
    memory: z
      .strictObject({
        limit: z
          .int()
          .positive()
          .describe("The most that its container may use; without a limit, what its machine has."),
        reserve: z.int().nonnegative().describe("What of that its agent and its proxy need."),
        needed: z.int().nonnegative().describe("What its databases need at worst; more than the rest: overcommitted."),
        largest: z.int().nonnegative().describe("The largest `memory_size` of which it takes one more shard."),
      })
      .exactOptional()
      .describe("Memory of its container, in bytes; absent from nodes of releases before 0.4.0."),
    shard_count: z.int().nonnegative(),
    shard_list: z.array(z.int().positive()).describe("uids of its shards; the shards themselves are at `/v1/shards`."),
    uptime: z.int().nonnegative().describe("In seconds."),
    supported_database_versions: z.array(SUPPORTED_VERSION),
    full_volume: z
      .strictObject({
        total: z.int().nonnegative().describe("In bytes."),
        free: z.int().nonnegative().describe("In bytes."),
        databases: z.array(z.strictObject({ bdb: z.int().positive(), bytes: z.int().nonnegative() })),
      })
      .exactOptional()
      .describe(
        "Its volume is nearly full, and the writes of these databases are refused until there is room; absent while there is, and from nodes of releases before 0.4.0.",
      ),
    volume: z
      .strictObject({
        room: z.int().nonnegative().describe("What databases may take of it, with what they have."),
        needed: z.int().nonnegative().describe("What its databases may come to take."),
        over: z
          .array(z.strictObject({ bdb: z.int().positive(), bytes: z.int(), budget: z.int() }))
          .describe("Databases that take more than they may, at most 100."),
      })
      .exactOptional()
      .describe("Its volume, in bytes; absent until it was measured, and from nodes of releases before 0.4.0."),
    set_aside: z
      .array(SET_ASIDE)
      .exactOptional()
      .describe(
        "Data on its volume that no record asks for, oldest first, at most 100; absent where there is none, and from nodes of releases before 0.4.0.",
      ),
    missing_records: z
      .array(MISSING_RECORD)
      .exactOptional()
      .describe(
        "What it keeps of records that have vanished, at most 100; absent where it misses none, and from nodes of releases before 0.5.0.",
      ),
  })
  .meta({ id: "Node" });

export type NodeRecord = Answered<typeof NODE>;
