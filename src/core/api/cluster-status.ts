import { z } from "zod";
import { condition, finding } from "./parts.ts";
import { CLUSTER_STATES, LICENSE_STATES, SPEC_STATUSES } from "./states.ts";

const licenseStatus = z.object({
  licenseState: z.enum(LICENSE_STATES).describe("Whether the licence is in force (§2.4)."),
  activationDate: z.string().optional().describe("When the licence began."),
  expirationDate: z.string().optional().describe("When the licence ends (§2.4)."),
  shardsLimit: z.int().optional().describe("Number of shards that the licence allows (§2.4)."),
  shardsUsed: z.int().optional().describe("Number of shards in use."),
  shardsUsage: z.string().optional().describe("Shards in use and allowed, `used/limit`. For people to read."),
  features: z.array(z.string()).optional().describe("Further features that the licence allows."),
  owner: z.string().optional().describe("Owner of the licence."),
});

const bundledDatabaseVersion = z.object({
  dbType: z.string().describe("Kind of database."),
  version: z.string().describe("Version, as `spec.storeVersion` of a database takes it."),
});

const moduleStatus = z.object({
  name: z.string().describe("`module_name`."),
  displayName: z.string().optional().describe("`display_name`."),
  versions: z.array(z.string()).describe("Installed versions."),
  databaseVersions: z
    .array(z.string())
    .optional()
    .describe(
      "Versions of databases that can use it on each node: their engines bring it, or a build of it is installed; absent where a node of an older release does not say.",
    ),
});

const operatorModules = z.object({
  databaseVersion: z.string().describe("Version of databases, as `spec.storeVersion` takes it."),
  names: z.array(z.string()).describe("`module_name` of each that its engine brings."),
});

const nodeStatus = z.object({
  uid: z.int().describe("Number of the node: ordinal of its pod plus one."),
  pod: z.string().describe("Its pod."),
  status: z.string().describe("State of the node, as the cluster reports it."),
  version: z.string().describe("Node tag that it reports to run."),
  imageDigest: z
    .string()
    .optional()
    .describe("Digest of its image, as its kubelet reports it; absent where the kubelet reports none."),
  baseSystem: z.string().optional().describe("Base system of its image, as the node reports it."),
  role: z.string().describe("`leader` or `member`."),
});

const userModuleStatus = z.object({
  name: z.string().describe("As `spec.userDefinedModules` lists it."),
  url: z.string().describe("URL of its archive."),
  state: z
    .enum(["Installing", "Installed", "Failed"])
    .describe("Whether the cluster has the module. `Installing`: the first attempt has begun and has not ended."),
  message: z.string().describe("Why the module is not installed; empty when it is."),
  moduleName: z.string().describe("`module_name` of its manifest."),
  version: z
    .string()
    .describe(
      "`semantic_version` of its manifest. For a failed module: the versions that the cluster had already, for people to read.",
    ),
  versionsBefore: z
    .array(z.string())
    .optional()
    .describe("For a failed module: the versions that the cluster had already under its name."),
  attempts: z
    .int()
    .optional()
    .describe(
      "How many operator processes have tried to install it so far, written before each tries; absent once it is installed.",
    ),
});
export type UserModuleStatus = z.output<typeof userModuleStatus>;

const upgradeStatus = z.object({
  from: z.string().describe("Node tag before."),
  to: z.string().describe("Node tag after."),
  startedAt: z.string().describe("When it began."),
  finishedAt: z.string().optional().describe("When the last node was back; absent while it runs."),
  updatedNodes: z.int().describe("Nodes at the new version."),
  acceptedUnknownVersion: z
    .string()
    .optional()
    .describe("Node tag in no release that `spec.upgradeSpec.acceptUnknownVersion` accepted for this upgrade."),
});

const persistenceStatus = z.object({
  status: z
    .enum(["Provisioning", "Provisioned", "Resizing", "ResizeFailed"])
    .describe("Whether the nodes have volumes of the wanted size, or why not."),
  succeeded: z.string().describe("Volumes that have it and all of them, `2/3`. For people to read."),
  volumeSize: z.string().describe("Largest size that a volume was given or asked for. Volumes never shrink."),
});

const recoveryStatus = z.object({
  startedAt: z.string().describe("When it began."),
  finishedAt: z.string().optional().describe("When it ended; absent while it runs."),
  pods: z.array(z.string()).describe("uids of the pods that it deletes; none when most nodes were active."),
});

/** `status` of a StoreEnterpriseCluster. */
export const clusterStatus = z.object({
  state: z.enum(CLUSTER_STATES).optional().describe("State of the cluster, column STATE (§3)."),
  specStatus: z.enum(SPEC_STATUSES).optional().describe("Whether the operator can apply the spec (§2.4)."),
  version: z
    .string()
    .optional()
    .describe("Lowest node tag that a node reports to run: the earlier one during a rolling upgrade (§2.4)."),
  imageTag: z
    .string()
    .optional()
    .describe("Node tag of the StatefulSet. A newer operator keeps it while `versionTag` is unset."),
  replicas: z.int().optional().describe("Nodes that are in service."),
  observedGeneration: z.int().optional().describe("Generation of the spec that this status describes."),
  licenseStatus: licenseStatus.optional().describe("The licence (§2.4)."),
  bundledDatabaseVersions: z.array(bundledDatabaseVersion).optional().describe("Versions that databases may have."),
  modules: z.array(moduleStatus).optional().describe("Installed modules."),
  userModules: z.array(userModuleStatus).optional().describe("Results of `spec.userDefinedModules` (§2.2)."),
  nodes: z.array(nodeStatus).optional().describe("The nodes as the cluster sees them."),
  operatorBaseSystem: z
    .string()
    .optional()
    .describe("Base system of the operator's image, and so of the node image of its release (§1.6)."),
  operatorModules: z
    .array(operatorModules)
    .optional()
    .describe("Modules that the engines of the operator's image bring, and so those of the node image of its release."),
  persistenceStatus: persistenceStatus.optional().describe("The volumes of the nodes; absent without volumes."),
  upgrade: upgradeStatus.optional().describe("The running rolling upgrade, or the last one."),
  recovery: recoveryStatus.optional().describe("The running recovery (`spec.clusterRecovery`), or the last one."),
  findings: z.array(finding).optional().describe("Findings about the requested upgrade."),
  clusterCredentialSecretName: z.string().optional().describe("Secret with the admin's credentials."),
  conditions: z
    .array(condition)
    .optional()
    .describe("Ready, Reconciling, Stalled, Available, Progressing, UpgradeBlocked, ReconcileSuspended."),
});
export type ClusterStatus = z.output<typeof clusterStatus>;
