/** REC STATE (§3; the members beyond Running, Upgrade and InvalidUpgrade are what users of such operators know). */
export const CLUSTER_STATES = [
  "PendingCreation",
  "BootstrappingFirstPod",
  "Initializing",
  "Running",
  "RunningRollingUpdate",
  "Upgrade",
  "InvalidUpgrade",
  "Invalid",
  "Error",
  "RecoveryReset",
  "RecoveringFirstPod",
  "ClusterRecreating",
  "Deleting",
] as const;
export type ClusterState = (typeof CLUSTER_STATES)[number];

/** Whether the spec as it stands can be acted on (§2.4). */
export const SPEC_STATUSES = ["Valid", "Invalid"] as const;
export type SpecStatus = (typeof SPEC_STATUSES)[number];

/** LICENSE STATE (§2.4). */
export const LICENSE_STATES = ["Valid", "Expired", "Invalid"] as const;
export type LicenseState = (typeof LICENSE_STATES)[number];

/**
 * What replies of a database with `durability: sync` wait for: `starting`, not yet every proxy knows that they do; `in-sync`, replicas in
 * sync; `degraded`, nothing, because none is in sync; `withheld`, the next replica in sync.
 */
export const SYNC_STATES = ["starting", "in-sync", "degraded", "withheld"] as const;
export type SyncState = (typeof SYNC_STATES)[number];
