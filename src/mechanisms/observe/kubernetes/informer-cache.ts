import type { StatefulSet } from "kubernetes-types/apps/v1.js";
import type { ConfigMap, Pod } from "kubernetes-types/core/v1.js";
import type {
  StoreEnterpriseActiveActiveDatabase,
  StoreEnterpriseBackup,
  StoreEnterpriseBackupSchedule,
  StoreEnterpriseCluster,
  StoreEnterpriseDatabase,
  StoreEnterpriseRemoteCluster,
  StoreEnterpriseRestore,
} from "../../../core/api/kinds.ts";
import { LABELS } from "../../../core/api/names.ts";
import { ConfigMaps, Pods, SecretVersions, ServiceVersions, StatefulSets } from "#kit/kube/builtin";
import { startInformer, type Informer, type InformerOptions } from "#kit/kube/informer";
import type { Kube } from "#kit/kube/kube";
import {
  ActiveActiveDatabases,
  Backups,
  BackupSchedules,
  Clusters,
  Databases,
  RemoteClusters,
  Restores,
} from "./kinds.ts";

/** InformerCache of everything in Kubernetes that a decision may depend on. */
export interface InformerCache {
  readonly clusters: Informer<StoreEnterpriseCluster>;
  readonly databases: Informer<StoreEnterpriseDatabase>;
  readonly activeActives: Informer<StoreEnterpriseActiveActiveDatabase>;
  readonly remoteClusters: Informer<StoreEnterpriseRemoteCluster>;
  /** Nothing waits until they are known: where the definitions are of an older release, there is no such kind. */
  readonly backups: Informer<StoreEnterpriseBackup>;
  /** As with backups. */
  readonly backupSchedules: Informer<StoreEnterpriseBackupSchedule>;
  /** The same. */
  readonly restores: Informer<StoreEnterpriseRestore>;
  readonly statefulSets: Informer<StatefulSet>;
  readonly nodePods: Informer<Pod>;
  /** When Secrets have changed, not what they hold. */
  readonly secrets: Informer<object>;
  /** Records of clusters and databases. */
  readonly records: Informer<ConfigMap>;
  /** Which Services of databases there are, not what they hold. */
  readonly services: Informer<object>;
}

/** Follows everything of the namespace that `options` name. */
export function startInformerCache(kube: Kube, options: InformerOptions): InformerCache {
  const labelled = (labelSelector: string): InformerOptions => ({ ...options, labelSelector });
  return {
    clusters: startInformer(kube, Clusters, options),
    databases: startInformer(kube, Databases, options),
    activeActives: startInformer(kube, ActiveActiveDatabases, options),
    remoteClusters: startInformer(kube, RemoteClusters, options),
    backups: startInformer(kube, Backups, options),
    backupSchedules: startInformer(kube, BackupSchedules, options),
    restores: startInformer(kube, Restores, options),
    statefulSets: startInformer(kube, StatefulSets, labelled(LABELS.cluster)),
    nodePods: startInformer(kube, Pods, labelled(`${LABELS.cluster},${LABELS.role}=node`)),
    secrets: startInformer(kube, SecretVersions, options),
    records: startInformer(kube, ConfigMaps, labelled(LABELS.record)),
    services: startInformer(kube, ServiceVersions, labelled(`${LABELS.cluster},${LABELS.database}`)),
  };
}
