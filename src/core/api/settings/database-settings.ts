import { z } from "zod";
import { engineParametersField, engineParametersText } from "./engine-parameter-fields.ts";
import { parameterDirectives, parametersText } from "./engine-parameters.ts";
import { memoryBytes } from "./memory.ts";
import { replicationBuffers } from "./replication-buffers.ts";
import { defineSetting, type Directives } from "./setting.ts";

/** Ways to keep data on disk. */
export const PERSISTENCE = [
  "disabled",
  "aofEverySecond",
  "aofAlways",
  "snapshotEvery1Hour",
  "snapshotEvery6Hour",
  "snapshotEvery12Hour",
] as const;
type Persistence = (typeof PERSISTENCE)[number];

const EVICTION_POLICIES = [
  "noeviction",
  "allkeys-lru",
  "allkeys-lfu",
  "allkeys-random",
  "volatile-lru",
  "volatile-lfu",
  "volatile-random",
  "volatile-ttl",
] as const;

const REPLICA_DURABILITY = ["async", "sync"] as const;

const WITHOUT_REPLICA = ["degrade", "wait"] as const;

const TLS_MODES = ["disabled", "enabled", "mutual"] as const;
/** Who may connect to the endpoints of a database, and how its nodes speak with each other about it. */
export type TlsMode = (typeof TLS_MODES)[number];

const UPGRADE_POLICIES = ["major", "latest"] as const;

const SHARDS_PLACEMENTS = ["dense", "sparse"] as const;
const PROXY_POLICIES = ["single", "all-master-shards", "all-nodes"] as const;

/** As many shards as a database may have. */
const MOST_AT_ONCE = 512;

const DURABILITY: Readonly<Record<Persistence, Directives>> = {
  disabled: { appendonly: "no", appendfsync: "everysec", save: "" },
  aofEverySecond: { appendonly: "yes", appendfsync: "everysec", save: "" },
  aofAlways: { appendonly: "yes", appendfsync: "always", save: "" },
  snapshotEvery1Hour: { appendonly: "no", appendfsync: "everysec", save: "3600 1" },
  snapshotEvery6Hour: { appendonly: "no", appendfsync: "everysec", save: "21600 1" },
  snapshotEvery12Hour: { appendonly: "no", appendfsync: "everysec", save: "43200 1" },
};

/**
 * Every setting of a database, by its key in the record. A new one is a new entry here, and what applies it: types,
 * definitions, record, management API, operator and engines follow from the entry (docs/architecture.md, "A new setting").
 *
 * Not settings: `port` never changes, `name` and `storeVersion` have operations of their own, modules follow the version,
 * and the password is a secret that is in no record.
 */
export const DATABASE_SETTINGS = {
  memoryBytes: defineSetting({
    specName: "memorySize",
    specField: z
      .string()
      .regex(/^[0-9]{1,9}(\.[0-9]{1,3})?(MB|GB|Mi|Gi)$/)
      .default("100MB")
      .describe("Memory of the database, at least 100MB; for instance `100MB` or `0.5GB`."),
    fromSpec: (size) => memoryBytes(size) ?? 0,
    wireName: "memory_size",
    accepted: z.int().min(1_048_576).max(4_398_046_511_104), // 1 MiB to 4 TiB
    stored: z.int().nonnegative(),
    fallback: undefined,
    effect: {
      by: "engines",
      directives: (bytes) => ({ maxmemory: String(bytes), ...replicationBuffers(bytes) }),
      reportedAs: { maxmemory: "maxmemory" },
    },
  }),
  replication: defineSetting({
    specName: "replication",
    specField: z.boolean().default(false).describe("Whether each shard has a replica on another node."),
    fromSpec: (written) => written,
    wireName: "replication",
    accepted: z.boolean(),
    stored: z.boolean(),
    fallback: false,
    effect: { by: "leader" },
  }),
  durability: defineSetting({
    specName: "durability",
    specField: z
      .enum(REPLICA_DURABILITY)
      .default("async")
      .describe(
        "When clients get their replies: `async`, once the primary has executed a request; `sync`, once every replica in sync has what was executed, so that no crash of one process or node loses an acknowledged write. `sync` needs `replication`.",
      ),
    fromSpec: (written) => written,
    wireName: "durability",
    accepted: z.enum(REPLICA_DURABILITY),
    stored: z.enum(REPLICA_DURABILITY),
    fallback: "async", // as it was in releases before 0.4.0
    effect: { by: "leader" },
  }),
  withoutInSync: defineSetting({
    specName: "withoutReplica",
    specField: z
      .enum(WITHOUT_REPLICA)
      .default("degrade")
      .describe(
        "What a database with `durability: sync` does while no replica is in sync: `degrade` gives replies as with `async`, `wait` gives none.",
      ),
    fromSpec: (written) => written,
    wireName: "without_replica",
    accepted: z.enum(WITHOUT_REPLICA),
    stored: z.enum(WITHOUT_REPLICA),
    fallback: "degrade",
    effect: { by: "leader" },
  }),
  persistence: defineSetting({
    specName: "persistence",
    specField: z.enum(PERSISTENCE).default("disabled").describe("How data is kept on disk."),
    fromSpec: (written) => written,
    wireName: "data_persistence",
    accepted: z.enum(PERSISTENCE),
    stored: z.enum(PERSISTENCE),
    fallback: "disabled",
    effect: { by: "engines", directives: (kind) => DURABILITY[kind], reportedAs: {} },
  }),
  evictionPolicy: defineSetting({
    specName: "evictionPolicy",
    specField: z
      .enum(EVICTION_POLICIES)
      .default("volatile-lru")
      .describe("Which keys are evicted when memory is full."),
    fromSpec: (written) => written,
    wireName: "eviction_policy",
    accepted: z.enum(EVICTION_POLICIES),
    stored: z.enum(EVICTION_POLICIES),
    fallback: "volatile-lru",
    effect: {
      by: "engines",
      directives: (policy) => ({ "maxmemory-policy": policy }),
      reportedAs: { "maxmemory-policy": "maxmemory_policy" },
    },
  }),
  engineParameters: defineSetting({
    specName: "engineParameters",
    specField: engineParametersField,
    fromSpec: (written) => parametersText(written),
    wireName: "engine_parameters",
    accepted: engineParametersText,
    stored: z.string(),
    fallback: "",
    effect: { by: "engines", directives: (text) => parameterDirectives(text), reportedAs: {} },
  }),
  maxClients: defineSetting({
    specName: "maxClients",
    specField: z
      .int()
      .min(0)
      .default(0)
      .describe(
        "Client connections that the endpoint accepts on each node, where each node counts its own; 0 for as many as a node can serve.",
      ),
    fromSpec: (written) => written,
    wireName: "max_connections",
    accepted: z.int().min(0),
    stored: z.int().nonnegative(),
    fallback: 0,
    effect: { by: "endpoints" },
  }),
  ossCluster: defineSetting({
    specName: "ossCluster",
    specField: z
      .boolean()
      .default(false)
      .describe(
        "Whether clients see a cluster, so that libraries in cluster mode connect to the node that serves a key. Other clients use the database at the same time, as without.",
      ),
    fromSpec: (written) => written,
    wireName: "oss_cluster",
    accepted: z.boolean(),
    stored: z.boolean(),
    fallback: false, // as it was in releases before 0.6.0
    effect: { by: "endpoints" },
  }),
  tlsMode: defineSetting({
    specName: "tls",
    specField: z
      .enum(TLS_MODES)
      .default("disabled")
      .describe(
        "Whether clients speak TLS with the endpoints, and the nodes with each other about this database: `disabled`; `enabled`; `mutual`, where clients present a certificate, too.",
      ),
    fromSpec: (written) => written,
    wireName: "tls_mode",
    accepted: z.enum(TLS_MODES),
    stored: z.enum(TLS_MODES),
    fallback: "disabled", // as it was in releases before 0.4.0
    effect: { by: "endpoints" },
  }),
  passwordOverlap: defineSetting({
    specName: "passwordOverlapSeconds",
    specField: z
      .int()
      .min(0)
      .max(604_800)
      .default(300)
      .describe("How long the former password is accepted besides a new one, in seconds; 0 for no overlap."),
    fromSpec: (written) => written,
    wireName: "password_overlap_seconds",
    accepted: z.int().min(0).max(604_800), // a week
    stored: z.int().nonnegative(),
    fallback: 300,
    effect: { by: "leader" },
  }),
  shardsPlacement: defineSetting({
    specName: "shardsPlacement",
    specField: z
      .enum(SHARDS_PLACEMENTS)
      .default("sparse")
      .describe(
        "Where shards are placed: `sparse`, on as many nodes as can be; `dense`, on as few as have the room. A replica is never beside its primary. What is placed already stays where it is.",
      ),
    fromSpec: (written) => written,
    wireName: "shards_placement",
    accepted: z.enum(SHARDS_PLACEMENTS),
    stored: z.enum(SHARDS_PLACEMENTS),
    fallback: "sparse",
    effect: { by: "leader" },
  }),
  proxyPolicy: defineSetting({
    specName: "proxyPolicy",
    specField: z
      .enum(PROXY_POLICIES)
      .default("all-nodes")
      .describe(
        "Which nodes the address of the database leads to, as far as they take clients: `all-nodes`; `all-master-shards`, those with a primary of it; `single`, one of these. Every node serves every database, so clients of another node stay where they are.",
      ),
    fromSpec: (written) => written,
    wireName: "proxy_policy",
    accepted: z.enum(PROXY_POLICIES),
    stored: z.enum(PROXY_POLICIES),
    fallback: "all-nodes", // as it was in releases before 0.6.0
    effect: { by: "leader" },
  }),
  parallelShards: defineSetting({
    specName: "parallelShardsUpgrade",
    specField: z
      .int()
      .min(0)
      .max(MOST_AT_ONCE)
      .default(0)
      .describe(
        "How many shards may be upgraded at the same time; 0 for as many as nodes have room for. Clients are held for one shard at a time, whatever it is.",
      ),
    fromSpec: (written) => written,
    wireName: "parallel_shards_upgrade",
    accepted: z.int().min(0).max(MOST_AT_ONCE),
    stored: z.int().nonnegative(),
    fallback: 0, // as it was before there was a limit
    effect: { by: "leader" },
  }),
  upgradePolicy: defineSetting({
    specName: "storeUpgradePolicy",
    specField: z
      .enum(UPGRADE_POLICIES)
      .default("latest")
      .describe(
        "`major` keeps the database from minor versions; so does the same field of the cluster for all of its databases (§2.2).",
      ),
    fromSpec: (written) => written,
    wireName: "redis_upgrade_policy",
    accepted: z.enum(UPGRADE_POLICIES),
    stored: z.enum(UPGRADE_POLICIES),
    fallback: "latest",
    effect: { by: "leader" },
  }),
};
