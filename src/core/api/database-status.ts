import { z } from "zod";
import { condition, finding } from "./parts.ts";
import { DATABASE_STATES } from "./records.ts";
import { SPEC_STATUSES } from "./states.ts";

/** `status` of a StoreEnterpriseDatabase. */
export const databaseStatus = z.object({
  databaseUID: z.string().optional().describe("uid of the database in the management API."),
  status: z
    .enum([...DATABASE_STATES, "unknown"])
    .optional()
    .describe(
      "State of the database. `unknown`: its cluster has not answered for 20 s. `creation-failed`: it cannot be made now, and the findings say why. `recovery`: it is brought back from what its nodes kept, or waits for the data of a backup. `import-pending` is part of the enumeration and never set.",
    ),
  specStatus: z.enum(SPEC_STATUSES).optional().describe("Whether the operator can apply the spec."),
  version: z
    .string()
    .optional()
    .describe("The database version, and the serving engine in brackets; a stand-in is named. For people to read."),
  storeVersion: z.string().optional().describe("The database version that it has, as `spec.storeVersion` takes it."),
  engine: z.string().optional().describe("Name and version of the engine that serves."),
  standIn: z.boolean().optional().describe("Whether the engine stands in for that of the database version."),
  cluster: z.string().optional().describe("Name of its cluster."),
  creating: z
    .boolean()
    .optional()
    .describe("Whether its cluster has been asked to make it, and has not shown it yet; absent otherwise."),
  unansweredSince: z
    .string()
    .optional()
    .describe("Since when its cluster has not said how it is; absent while the cluster answers."),
  internalEndpoints: z
    .array(
      z.object({
        host: z.string().describe("Name of the endpoint."),
        port: z.int().describe("Port of the endpoint."),
      }),
    )
    .optional()
    .describe("Where clients connect."),
  shardStatuses: z.record(z.string(), z.int()).optional().describe("Number of shards in each status."),
  shards: z
    .array(
      z.object({
        id: z.int().describe("Number of the shard in its database."),
        slots: z.string().describe("The slots that it has, for instance `0-8191`."),
        epoch: z.int().optional().describe("How often it has had another primary."),
        storeVersion: z
          .string()
          .describe("Database version of its primary; another one than `storeVersion` while an upgrade is under way."),
        state: z.enum(["active", "loading", "down"]).describe("State of its primary."),
        primary: z.int().describe("uid of the node with its primary."),
        replicas: z.array(z.int()).describe("uids of the nodes with its replicas."),
      }),
    )
    .optional()
    .describe(
      "The shards, in the order of their slots. Their keys and memory are in the metrics, and in `storectl shards`.",
    ),
  databaseSecretName: z.string().optional().describe("Secret with the password."),
  passwordFrom: z
    .object({
      secret: z.string().describe("Name of the Secret."),
      resourceVersion: z.string().describe("Its version then."),
    })
    .optional()
    .describe("Where the cluster was last given the password from."),
  authorityDigest: z
    .string()
    .optional()
    .describe("SHA-256 of `ca.crt` in that Secret, by which clients know the endpoint; absent without TLS."),
  certificateValidTo: z.string().optional().describe("When the certificate of the endpoint ends; absent without TLS."),
  clientParameters: z
    .record(z.string(), z.string())
    .optional()
    .describe(
      "Parameters of the engines that clients have set by CONFIG SET; what the spec says counts before them. Absent when there are none.",
    ),
  createdTime: z.string().optional().describe("When the cluster created it."),
  lastUpdated: z.string().optional().describe("When the cluster last changed it."),
  lastActionUid: z.string().optional().describe("Last asynchronous change."),
  lastActionStatus: z.string().optional().describe("How that change ended."),
  lossReports: z.array(z.string()).optional().describe("Acknowledged writes that a crash may have cost."),
  observedGeneration: z
    .int()
    .optional()
    .describe("Generation of the spec that was applied. It stays behind while management is suspended."),
  findings: z
    .array(finding)
    .optional()
    .describe("Why the database differs from its spec. While management is suspended: the last findings."),
  conditions: z
    .array(condition)
    .optional()
    .describe("Ready, Reconciling, Stalled, Available, ReconcileSuspended, Drifted."),
});
export type DatabaseStatus = z.output<typeof databaseStatus>;
