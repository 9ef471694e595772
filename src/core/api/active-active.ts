import { z } from "zod";
import { databaseSpec, globalConfiguration, shards } from "./database-spec.ts";
import { condition, dnsLabel } from "./parts.ts";
import { STORE_VERSIONS } from "./records.ts";
import { SPEC_STATUSES } from "./states.ts";

/** `spec` of a StoreEnterpriseActiveActiveDatabase. */
export const activeActiveSpec = z.object({
  participatingClusters: z
    .array(
      z.object({
        name: dnsLabel.describe("Name of a StoreEnterpriseRemoteCluster."),
        namespace: z
          .string()
          .optional()
          .describe(
            "Namespace of the database on that participant. It only takes part in validation: the database is in `recNamespace` of the remote cluster.",
          ),
        externalReplicationPort: z
          .int()
          .min(1)
          .max(65_535)
          .optional()
          .describe("Port at which links of other participants reach this one; 9444 when absent."),
        shardCount: shards
          .optional()
          .describe(
            "Number of shards of this participant, up to that of `globalConfigurations`, which holds when absent; chosen when the participant comes.",
          ),
      }),
    )
    .min(1)
    .max(16)
    .describe("Clusters that hold the database."),
  globalConfigurations: globalConfiguration.optional().describe("Configuration on every participant."),
  storeEnterpriseCluster: databaseSpec.shape.storeEnterpriseCluster,
  storeVersion: z
    .enum(STORE_VERSIONS)
    .optional()
    .describe("Version of the database, set on one participant only (§2.3)."),
  moduleList: databaseSpec.shape.moduleList,
});
export type ActiveActiveSpec = z.output<typeof activeActiveSpec>;

/** `status` of a StoreEnterpriseActiveActiveDatabase. */
export const activeActiveStatus = z.object({
  status: z
    .enum(["pending", "active", "active-change-pending", "delete-pending", "creation-failed", "error"])
    .optional()
    .describe("State of the database."),
  specStatus: z.enum(SPEC_STATUSES).optional().describe("Whether the operator can apply the spec."),
  guid: z.string().optional().describe("Identity shared by all participants."),
  linkedRedbs: z.array(z.string()).optional().describe("Databases of this cluster that belong to it."),
  replicationStatus: z.enum(["up", "down"]).optional().describe("Whether participants replicate."),
  participatingClusters: z
    .array(
      z.object({
        name: z.string().describe("Name of the participant."),
        id: z.int().optional().describe("Its number."),
        replicationStatus: z.string().optional().describe("Whether it replicates."),
        operatorVersion: z.string().optional().describe("Version of its operator, as it reports (§9)."),
        version: z.string().optional().describe("Version of its database, as its cluster reports."),
        status: z.string().optional().describe("State of its database, or why the participant does not answer."),
      }),
    )
    .optional()
    .describe("State of each participant."),
  version: z.string().optional().describe("Version of the database on this participant."),
  observedGeneration: z.int().optional().describe("Generation of the spec that this status describes."),
  conditions: z
    .array(condition)
    .optional()
    .describe("Ready, Reconciling, Stalled, ParticipantsReady, Replicating, ReconcileSuspended."),
});
export type ActiveActiveStatus = z.output<typeof activeActiveStatus>;

/** `spec` of a StoreEnterpriseRemoteCluster. */
export const remoteClusterSpec = z.object({
  recName: dnsLabel.describe("Name of the remote cluster."),
  recNamespace: z.string().min(1).describe("Namespace of the remote cluster."),
  apiFqdnUrl: z.string().min(1).describe("Host name of its management API."),
  apiPort: z.int().min(1).max(65_535).optional().describe("Port of its management API."),
  dbFqdnSuffix: z
    .string()
    .optional()
    .describe(
      "Suffix of its databases' host names: links dial the name of the database with it; `apiFqdnUrl` when absent.",
    ),
  secretName: z
    .string()
    .optional()
    .describe(
      "Secret with its `username`, `password` and `ca.crt`, always `store-enterprise-<name>`: the field only takes part in validation. Not read for the own cluster.",
    ),
});
export type RemoteClusterSpec = z.output<typeof remoteClusterSpec>;

/** `status` of a StoreEnterpriseRemoteCluster. */
export const remoteClusterStatus = z.object({
  local: z.boolean().optional().describe("Whether it is the cluster of this namespace."),
  status: z.enum(["Active", "Error"]).optional().describe("Whether it answers."),
  specStatus: z.enum(SPEC_STATUSES).optional().describe("Whether the operator can apply the spec."),
  observedGeneration: z.int().optional().describe("Generation of the spec that this status describes."),
  internalObservedSecretResourceVersion: z.string().optional().describe("Version of its secret that is in use."),
  operatorVersion: z.string().optional().describe("Version of its operator, as it reports (§9)."),
  conditions: z.array(condition).optional().describe("Ready, Reconciling, Stalled, Reachable, Removable."),
});
export type RemoteClusterStatus = z.output<typeof remoteClusterStatus>;
