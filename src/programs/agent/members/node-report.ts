import { z } from "zod";
import { isKnownFormat } from "../../../core/api/format.ts";
import { DATABASE_VERSIONS } from "../../../core/api/records.ts";
import { parseJson } from "#kit/base/json";

/**
 * What a node can do that those of older releases cannot: a change of passwords waits for every node, a set of replicas in sync
 * counts where it is kept, a majority is enough once every node votes, its clients are seen and ended from every other node,
 * engines are closed to clients once every node logs in as the user of the cluster, replies wait for replicas once every proxy can,
 * clients speak TLS once every endpoint can, the names of its Secrets can be foreseen,
 * another password of the cluster counts while the former one does, data crosses between sites once every node knows links,
 * a node says which passwords all its proxy workers go by, what clients set by CONFIG SET is applied everywhere, its proxies know the
 * scripts of clients of all nodes, it finds the Secrets of new databases and users made,
 * it reads the slots of shards and serves a database of several, it starts anew a primary that runs as a replica once it has a launch,
 * it runs new shards of a database beside those that serve, and their mover, its endpoints show clients a cluster where they shall,
 * no engine of a database starts that waits for its data.
 */
export const NODE_CAPABILITIES = [
  "password-overlap",
  "in-sync-set",
  "votes",
  "database-clients",
  "engine-user",
  "sync-replies",
  "client-tls",
  "named-secrets",
  "cluster-access",
  "site-links",
  "password-revisions",
  "client-parameters",
  "shared-scripts",
  "prepared-secrets",
  "several-shards",
  "starts-anew",
  "new-shards",
  "cluster-clients",
  "awaited-data",
] as const;
export type NodeCapability = (typeof NODE_CAPABILITIES)[number];

/** So much of what is set aside fits into a Lease. */
export const SET_ASIDE_LIMIT = 100;

const schema = z.object({
  format: z.number().refine(isKnownFormat).exactOptional(),
  address: z.ipv4().or(z.ipv6()),
  softwareVersion: z.string().max(64),
  operatorVersion: z.string().max(64),
  acceptsClients: z.boolean(),
  engines: z.array(
    z.object({
      storeVersion: z.enum(DATABASE_VERSIONS),
      engine: z.string().max(64),
      standIn: z.boolean(),
      /** It speaks TLS with the certificate of the node; nodes of releases before 0.4.0 do not say it, and use none. */
      tls: z.boolean().optional(),
      /** What the engine brings; absent from nodes of release 0.1.0, and where the engine does not say. */
      modules: z
        .array(z.object({ name: z.string().max(64), version: z.string().max(32) }))
        .max(256)
        .optional(),
    }),
  ),
  /** uids of the installed modules that it has; nodes of older releases do not report them. */
  modules: z.array(z.string().max(32)).max(4096).default([]),
  /** Of `NODE_CAPABILITIES`, and of those of later releases; nodes of release 0.1.0 report none. */
  capabilities: z.array(z.string().max(64)).max(64).default([]),
  /** Data on its volume that no record asks for, oldest first; nodes of releases before 0.4.0 report none. */
  setAside: z
    .array(
      z.object({
        id: z.string().max(64),
        bdb: z.int().positive(),
        name: z.string().max(256),
        instance: z.int().positive(),
        since: z.iso.datetime(),
        bytes: z.int().nonnegative(),
      }),
    )
    .max(SET_ASIDE_LIMIT)
    .default([]),
  /** What it keeps of records that have vanished; absent where it misses none, and from nodes of releases before 0.5.0. */
  missingRecords: z
    .array(
      z.object({
        bdb: z.int().positive(),
        name: z.string().max(256),
        created: z.string().max(64),
        version: z.string().regex(/^\d{1,20}$/),
        digest: z.string().regex(/^[0-9a-f]{64}$/),
        since: z.iso.datetime(),
      }),
    )
    .max(SET_ASIDE_LIMIT)
    .optional(),
  /** Present while its volume is nearly full: the databases whose writes are refused therefore; nodes of releases before 0.4.0 report none. */
  fullVolume: z
    .object({
      total: z.int().nonnegative(),
      free: z.int().nonnegative(),
      databases: z.array(z.object({ bdb: z.int().positive(), bytes: z.int().nonnegative() })).max(100),
    })
    .optional(),
  /** What databases may take of its volume, and those that take more than they may; absent from nodes of releases before 0.4.0. */
  volume: z
    .object({
      room: z.int().nonnegative(),
      over: z.array(z.object({ bdb: z.int().positive(), bytes: z.int(), budget: z.int() })).max(100),
    })
    .optional(),
  /** Base system of its image, for instance `rhel9`; absent from nodes of release 0.1.0, and where the image does not say. */
  baseSystem: z.string().max(64).optional(),
  /** The nodes whose promises count for it (src/core/planner/node/quorum.ts); absent while it needs that of every other one. */
  voters: z.array(z.int().positive()).max(1024).optional(),
  /** Its consents to take-overs (src/programs/agent/members/pledges.ts); absent from nodes of releases before 0.5.0. */
  consents: z
    .object({ process: z.string().max(64), counts: z.record(z.string().max(16), z.int().positive()) })
    .optional(),
  osName: z.string().max(128),
  architecture: z.string().max(64),
  cores: z.int().nonnegative(),
  /** Of its machine. */
  memoryBytes: z.int().nonnegative(),
  /** Memory of its container; absent from nodes of releases before 0.4.0. */
  container: z.object({ limit: z.int().positive(), reserve: z.int().nonnegative() }).optional(),
  startedAt: z.iso.datetime(),
});

/** The report of a node in its Lease. */
export type NodeReport = Readonly<z.infer<typeof schema>>;

/** Annotation of the Lease that carries the report. */
export const REPORT_ANNOTATION = "storeenterprise.io/node-report";

/** The report in an annotation; undefined when there is none or it is not one. */
export function parseNodeReport(text: string | undefined): NodeReport | undefined {
  if (text === undefined) return undefined;
  return schema.safeParse(parseJson(text)).data; // not JSON: as if the node had not reported yet
}
