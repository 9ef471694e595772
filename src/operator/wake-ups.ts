import type { ConfigMap, Pod } from "kubernetes-types/core/v1.js";
import type { StatefulSet } from "kubernetes-types/apps/v1.js";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { LABELS } from "../api/names.ts";
import { ConfigMaps, Pods, StatefulSets } from "../kube/builtin.ts";
import { startInformer, type Informer } from "../kube/informer.ts";
import type { Kube, Stored } from "../kube/kube.ts";
import { keyOf, refOf } from "../kube/ref.ts";
import { Clusters, Databases } from "../observe/kinds.ts";

/** Tells controllers which objects to look at. What is decided rests on what is read then, never on these copies. */
export interface WakeUps {
  onCluster(wake: (key: string) => void): void;
  onDatabase(wake: (key: string) => void): void;
  /** Called back when a cluster or database comes or goes. */
  onAny(wake: () => void): void;
}

export interface WakeUpOptions {
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Follows everything that a decision may depend on. */
export function startWakeUps(kube: Kube, options: WakeUpOptions): WakeUps {
  const clusters = startInformer(kube, Clusters, options);
  const databases = startInformer(kube, Databases, options);
  const statefulSets: Informer<StatefulSet> = startInformer(kube, StatefulSets, {
    ...options,
    labelSelector: LABELS.cluster,
  });
  const pods: Informer<Pod> = startInformer(kube, Pods, {
    ...options,
    labelSelector: `${LABELS.cluster},${LABELS.role}=node`,
  });
  const records: Informer<ConfigMap> = startInformer(kube, ConfigMaps, { ...options, labelSelector: LABELS.record });
  const databasesOfCluster = (wake: (key: string) => void): void => {
    for (const database of databases.list()) wake(keyOf(refOf(database)));
  };
  return {
    onCluster: (wake) => {
      clusters.onChange((ref) => {
        wake(keyOf(ref));
      });
      databases.onChange(() => {
        for (const cluster of clusters.list()) wake(keyOf(refOf(cluster)));
      });
      const ownerOf = (object: Stored<object> | undefined): void => {
        const name = object?.metadata.labels?.[LABELS.cluster];
        if (name !== undefined) wake(keyOf({ name, namespace: object?.metadata.namespace ?? options.namespace }));
      };
      for (const informer of [statefulSets, pods, records]) {
        informer.onChange((_ref, current, previous) => {
          ownerOf(current ?? previous);
        });
      }
    },
    onAny: (wake) => {
      for (const informer of [clusters, databases]) {
        informer.onChange((_ref, current, previous) => {
          if (current === undefined || previous === undefined) wake();
        });
      }
    },
    onDatabase: (wake) => {
      databases.onChange((ref) => {
        wake(keyOf(ref));
      });
      clusters.onChange(() => {
        databasesOfCluster(wake);
      });
      records.onChange(() => {
        databasesOfCluster(wake);
      });
    },
  };
}
