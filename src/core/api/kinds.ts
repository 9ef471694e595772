import type { ObjectMeta } from "kubernetes-types/meta/v1.js";
import type { z } from "zod";
import type { activeActiveSpec, activeActiveStatus, remoteClusterSpec, remoteClusterStatus } from "./active-active.ts";
import type { backupScheduleSpec, BackupScheduleStatus } from "./backup-schedule-spec.ts";
import type { backupSpec, BackupStatus } from "./backup-spec.ts";
import type { clusterSpec } from "./cluster-spec.ts";
import type { ClusterStatus } from "./cluster-status.ts";
import type { databaseSpec } from "./database-spec.ts";
import type { DatabaseStatus } from "./database-status.ts";
import type { restoreSpec, RestoreStatus } from "./restore-spec.ts";

/** How the API server calls our kinds (§2.1). */
export const KINDS = {
  cluster: { kind: "StoreEnterpriseCluster", plural: "storeenterpriseclusters", shortName: "rec" },
  database: { kind: "StoreEnterpriseDatabase", plural: "storeenterprisedatabases", shortName: "redb" },
  activeActive: {
    kind: "StoreEnterpriseActiveActiveDatabase",
    plural: "storeenterpriseactiveactivedatabases",
    shortName: "reaadb",
  },
  remoteCluster: { kind: "StoreEnterpriseRemoteCluster", plural: "storeenterpriseremoteclusters", shortName: "rerc" },
  backup: { kind: "StoreEnterpriseBackup", plural: "storeenterprisebackups", shortName: "rebackup" },
  backupSchedule: {
    kind: "StoreEnterpriseBackupSchedule",
    plural: "storeenterprisebackupschedules",
    shortName: "rebackupschedule",
  },
  restore: { kind: "StoreEnterpriseRestore", plural: "storeenterpriserestores", shortName: "rerestore" },
} as const;
export type KindName = keyof typeof KINDS;

/** An object of one of our kinds as a user writes it; `spec` may leave out what has a default. */
interface Resource<Spec, Status> {
  readonly metadata?: ObjectMeta;
  readonly spec: Spec;
  readonly status?: Status;
}

export type StoreEnterpriseCluster = Resource<z.input<typeof clusterSpec>, ClusterStatus>;
export type StoreEnterpriseDatabase = Resource<z.input<typeof databaseSpec>, DatabaseStatus>;
export type StoreEnterpriseActiveActiveDatabase = Resource<
  z.input<typeof activeActiveSpec>,
  z.output<typeof activeActiveStatus>
>;
export type StoreEnterpriseRemoteCluster = Resource<
  z.input<typeof remoteClusterSpec>,
  z.output<typeof remoteClusterStatus>
>;
export type StoreEnterpriseBackup = Resource<z.input<typeof backupSpec>, BackupStatus>;
export type StoreEnterpriseBackupSchedule = Resource<z.input<typeof backupScheduleSpec>, BackupScheduleStatus>;
export type StoreEnterpriseRestore = Resource<z.input<typeof restoreSpec>, RestoreStatus>;

/**
 * Finalizers: a cluster waits for its databases; a database is removed from the cluster before its object goes; that an
 * Active-Active database is deleted is written down for the other participants; a remote cluster waits until none refers to it.
 */
export const FINALIZERS = {
  cluster: "redbfinalizer.storeenterpriseclusters.app.storeenterprise.io",
  database: "finalizer.storeenterprisedatabases.app.storeenterprise.io",
  activeActive: "app.storeenterprise.io/active-active",
  remoteCluster: "app.storeenterprise.io/remote-cluster",
} as const;
