import {
  KINDS,
  type KindName,
  type StoreEnterpriseBackup,
  type StoreEnterpriseBackupSchedule,
  type StoreEnterpriseActiveActiveDatabase,
  type StoreEnterpriseCluster,
  type StoreEnterpriseDatabase,
  type StoreEnterpriseRemoteCluster,
  type StoreEnterpriseRestore,
} from "../../../core/api/kinds.ts";
import { API_GROUP, API_VERSION } from "../../../core/api/names.ts";
import type { ResourceType } from "#kit/kube/kube";

export const Clusters: ResourceType<StoreEnterpriseCluster> = ours("cluster");
export const Databases: ResourceType<StoreEnterpriseDatabase> = ours("database");
export const ActiveActiveDatabases: ResourceType<StoreEnterpriseActiveActiveDatabase> = ours("activeActive");
export const RemoteClusters: ResourceType<StoreEnterpriseRemoteCluster> = ours("remoteCluster");
export const Backups: ResourceType<StoreEnterpriseBackup> = ours("backup");
export const BackupSchedules: ResourceType<StoreEnterpriseBackupSchedule> = ours("backupSchedule");
export const Restores: ResourceType<StoreEnterpriseRestore> = ours("restore");

function ours<T>(name: KindName): ResourceType<T> {
  const { kind, plural } = KINDS[name];
  return { group: API_GROUP, version: API_VERSION, kind, plural, namespaced: true };
}
