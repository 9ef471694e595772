import { z } from "zod";
import type { LinkedDatabaseStatus } from "../link-control.ts";
import type { ActiveActiveRecord, RemoteSite } from "../../../core/api/records.ts";
import type { Answered } from "./answered.ts";

const EDIT = z.strictObject({ count: z.int().positive(), author: z.string() });

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
        shardCount: z.int().positive().optional(),
      }),
    ),
    configuration: z.record(z.string(), z.unknown()),
    edit: EDIT,
    numbers: z
      .strictObject({
        next: z.int().positive(),
        first: z
          .int()
          .nonnegative()
          .exactOptional()
          .describe("Highest of those that were named at first; absent: all that have been given."),
        given: z.array(z.strictObject({ name: z.string(), id: z.int().positive() })),
        edit: EDIT,
      })
      .exactOptional()
      .describe("Numbers of the sites; absent until every node of a cluster is of release 0.4.0 or later."),
  })
  .meta({ id: "ActiveActiveDatabase" });

/** `GET /v1/cluster/remote_sites`: a remote cluster as the links of this cluster reach it. */
export const REMOTE_SITE: z.ZodType<RemoteSite> = z
  .strictObject({
    name: z.string(),
    local: z.literal(true).exactOptional().describe("It stands for this cluster."),
    host: z.string().describe("Host name of its management API, and of its links unless `databaseSuffix` is there."),
    databaseSuffix: z.string().exactOptional().describe("Behind the name of a database: host name of its links."),
    serverName: z.string().describe("The name that its certificates have."),
    authorities: z.string().describe("PEM; who signs its certificates. Empty for this cluster."),
  })
  .meta({ id: "RemoteSite" });

/** A key that two sites hold differently, as it is shown. */
const DIFFERING_KEY = z.strictObject({
  key: z.string().describe("Its name, cut when it is long."),
  here: z.string().describe("What this site holds, without values."),
  there: z.string().describe("What the other site holds, without values."),
  since: z.string().describe("ISO instant when it was found."),
});

const LINK_STATE = z.enum(["up", "syncing", "down"]);

/** `GET /v1/local/link`: how the link of one node serves the databases whose primary is there. */
export const LINK_STATUS: z.ZodType<LinkedDatabaseStatus> = z
  .strictObject({
    guid: z.string(),
    engine: z.string(),
    hasJoined: z.boolean(),
    knownKeys: z.int().nonnegative(),
    keptBytes: z.int().nonnegative(),
    sites: z.array(
      z.strictObject({
        site: z.int().positive(),
        state: LINK_STATE,
        since: z.string(),
        cause: z.string(),
        lagMs: z.number().nonnegative(),
        behindMs: z.number().nonnegative().exactOptional(),
        unconfirmedMs: z.number().nonnegative().exactOptional(),
        unconfirmed: z.int().nonnegative(),
        receivedBytes: z.int().nonnegative(),
        sentBytes: z.int().nonnegative(),
        agreement: z
          .strictObject({
            agreedAt: z.string().exactOptional(),
            comparedAt: z.string().exactOptional(),
            cause: z.string(),
            found: z.int().nonnegative(),
            differing: z.int().nonnegative(),
            differences: z.array(DIFFERING_KEY),
          })
          .exactOptional(),
      }),
    ),
  })
  .meta({ id: "LinkStatus" });

const LINKED_SITES = z.array(
  z.strictObject({
    id: z.int().nonnegative().describe("Number of the site; 0 while it has none."),
    name: z.string().describe("Of the remote cluster that stands for it."),
    state: LINK_STATE.describe(
      "How its operations arrive here; `syncing` while earlier ones are missing, or one end still looks for those of its clients.",
    ),
    since: z.string().exactOptional().describe("ISO instant since which it is so; absent while that is not known."),
    cause: z.string().describe("Why it is not up; empty while it is."),
    lag_ms: z.number().nonnegative().describe("Age of its newest operation when it was applied here."),
    behind_ms: z
      .number()
      .nonnegative()
      .exactOptional()
      .describe("For how long this site has gone without what it has written; absent while that is not known."),
    unconfirmed: z.int().nonnegative().describe("Operations of this site that it has not said to have."),
    unconfirmed_ms: z
      .number()
      .nonnegative()
      .exactOptional()
      .describe("For how long it has gone without what this site has written; absent while that is not known."),
    received_bytes: z.int().nonnegative(),
    sent_bytes: z.int().nonnegative(),
    agreement: z
      .strictObject({
        agreed_at: z
          .string()
          .exactOptional()
          .describe("ISO instant of the last time that all keys were found to be the same; absent before it."),
        compared_at: z.string().exactOptional().describe("ISO instant of the last comparison; absent before it."),
        cause: z.string().describe("Why keys are not compared; empty while they are."),
        found: z.int().nonnegative().describe("Keys that were found to differ since the link began."),
        differing: z.int().nonnegative().describe("How many of them still differ, as far as they were compared again."),
        differences: z.array(DIFFERING_KEY).describe("Some of those that still differ."),
      })
      .exactOptional()
      .describe("Whether all keys are the same at both; absent while they were never compared."),
  }),
);

/** What all slices of a site have, and each one. */
const LINKED = {
  state: LINK_STATE.describe("The worst of its sites; down also while nothing is captured here."),
  cause: z.string().describe("Why nothing is captured from the database of this participant; empty while all is."),
  known_keys: z.int().nonnegative().describe("Keys of which more is known than what all sites agree on."),
  kept_bytes: z.int().nonnegative().describe("Operations that are kept until every site has them."),
  sites: LINKED_SITES,
};

/** `GET /v1/crdbs/<guid>/health`: how this participant replicates with the others. */
export const LINK_HEALTH = z
  .strictObject({
    guid: z.string(),
    ...LINKED,
    awaits_sites: z
      .boolean()
      .describe(
        "Clients of this participant wait until it has what the others hold; `cause` and the sites say what is missing.",
      ),
    slices: z
      .array(
        z.strictObject({
          slots: z.string().describe("The slots whose keys are merged on their own."),
          shard: z.int().describe("The shard of this participant that has them."),
          ...LINKED,
        }),
      )
      .exactOptional()
      .describe(
        "Of each slice, where the database was made with several shards; all else is the worst, or the sum, of these.",
      ),
  })
  .meta({ id: "ActiveActiveHealth" });

export type LinkHealth = Answered<typeof LINK_HEALTH>;

/** `GET /v1/crdb_tasks`: how far one participant is with something that the sites have agreed on. */
export const CRDB_TASK = z
  .strictObject({
    id: z
      .string()
      .describe("The same at every participant: `<guid>.edit.<count>.<author>`, `<guid>.version.<version>` …"),
    crdb_guid: z.string(),
    operation: z.enum(["create_crdb", "update_crdb", "upgrade_crdb", "join_crdb", "delete_crdb"]),
    status: z
      .enum(["queued", "started", "finished"])
      .describe("Of this participant. What is agreed is tried until it is done."),
    waiting_for: z.string().describe("A sentence; empty when it is finished."),
  })
  .meta({ id: "ActiveActiveTask" });

export type CrdbTask = Answered<typeof CRDB_TASK>;
