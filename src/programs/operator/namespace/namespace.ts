import { OPERATOR_NAME } from "../../../core/api/names.ts";
import { eventRecorder } from "#kit/kube/events";
import { keyOf } from "#kit/kube/ref";
import { openConnections } from "../../../mechanisms/observe/management/connections.ts";
import { openSites } from "../../../mechanisms/observe/sites/sites.ts";
import { runController, type Controller } from "#kit/reconcile/controller";
import type { Outcome } from "#kit/reconcile/outcome";
import { activeActiveReconciler } from "../active-active/controller.ts";
import { backupAgesIn } from "../backup/ages.ts";
import { backupReconciler } from "../backup/controller.ts";
import { removeSaved } from "../backup/remove.ts";
import { scheduleReconciler } from "../backup/schedule.ts";
import { clusterReconciler } from "../cluster/controller.ts";
import { databaseReconciler } from "../database/controller.ts";
import { watchApplied } from "../objects/kept.ts";
import { remoteClusterReconciler } from "../remote-cluster/controller.ts";
import { restoreReconciler } from "../restore/controller.ts";
import { wakeActiveActives, wakeClusters, wakeDatabases, wakeSchedules, type Sources } from "./wake-ups.ts";
import { type NamespaceDeps, type OpenedForNamespace, sharedDeps } from "./shared-deps.ts";

/** Concurrent passes over databases: as many requests as the API server gets at once. */
const DATABASE_WORKERS = 8;

/** Concurrent passes over remote clusters, and over Active-Active databases: each waits for other sites. */
const SITE_WORKERS = 4;

/** Concurrent passes over backups, and over restores: most of them wait for their turn. */
const BACKUP_WORKERS = 2;

/** Manages the clusters and databases of one namespace until `signal` aborts. */
export async function manageNamespace(deps: NamespaceDeps, signal: AbortSignal): Promise<void> {
  const { kube, clock, log, cache } = deps;
  const connections = openConnections(kube, clock);
  const sites = openSites(kube, clock);
  const events = eventRecorder(kube, { component: OPERATOR_NAME, clock, log });
  const hideAges = deps.metrics.showAges(() => backupAgesIn(cache, deps.namespace, clock.now().getTime()));
  try {
    const { controllers, sources } = startControllers(deps, { connections, sites, events }, signal);
    for (const informer of [cache.clusters, cache.databases, cache.activeActives, cache.remoteClusters]) {
      informer.onChange((_ref, current, previous) => {
        if (current === undefined || previous === undefined) deps.onAddedOrRemoved();
      });
    }
    enqueueOnChange(sources, controllers);
    await Promise.all(Object.values(controllers).map((controller) => controller.stopped));
  } finally {
    hideAges();
    await events.flush();
    await connections.close();
    await sites.close();
  }
}

interface Controllers {
  readonly clusters: Controller;
  readonly databases: Controller;
  readonly activeActives: Controller;
  readonly remoteClusters: Controller;
  readonly backups: Controller;
  readonly backupSchedules: Controller;
  readonly restores: Controller;
}

function startControllers(
  deps: NamespaceDeps,
  opened: OpenedForNamespace,
  signal: AbortSignal,
): { readonly controllers: Controllers; readonly sources: Sources } {
  const { kube, clock, log, namespace, cache, metrics } = deps;
  const applied = watchApplied(kube, { namespace, clock, log, signal });
  const enqueueCluster: Controller["enqueue"] = (...asked) => controllers.clusters.enqueue(...asked);
  const shared = sharedDeps(deps, opened, applied, { enqueueCluster, signal });
  const start = (name: string, workers: number, reconcile: (key: string) => Promise<Outcome>): Controller =>
    runController({ name, workers, reconcile: metrics.counted(name, reconcile), clock, log, signal });
  const activeActives = start("active-active", SITE_WORKERS, activeActiveReconciler(shared));
  const enqueueActiveActive = activeActives.enqueue;
  const controllers: Controllers = {
    clusters: start("cluster", 1, clusterReconciler(shared)),
    databases: start("database", DATABASE_WORKERS, databaseReconciler(shared)),
    activeActives,
    backups: start("backup", BACKUP_WORKERS, backupReconciler(shared)),
    backupSchedules: start(
      "backup-schedule",
      BACKUP_WORKERS,
      scheduleReconciler({ ...shared, removeSaved: (backup) => removeSaved(shared, backup) }),
    ),
    restores: start("restore", BACKUP_WORKERS, restoreReconciler(shared)),
    remoteClusters: start("remote-cluster", SITE_WORKERS, remoteClusterReconciler({ ...shared, enqueueActiveActive })),
  };
  cache.backups.onChange((ref) => {
    controllers.backups.enqueue(keyOf(ref));
  });
  wakeSchedules(cache, controllers.backupSchedules.enqueue);
  const { connections, contexts } = shared;
  return { controllers, sources: { cache, applied, connections, contexts } };
}

/** A database is reconciled once its cluster, its Secret and its Service are known, and an Active-Active database once its participants are. */
function enqueueOnChange(sources: Sources, controllers: Controllers): void {
  const { cache } = sources;
  const { clusters, databases, activeActives, remoteClusters, restores } = controllers;
  // a database that is not known yet is no database that is gone
  void Promise.all([cache.clusters, cache.databases].map(({ synced }) => synced)).then(
    () => {
      cache.restores.onChange((ref) => {
        restores.enqueue(keyOf(ref));
      });
    },
    () => undefined, // ended before
  );
  wakeClusters(sources, clusters.enqueue);
  void Promise.all([cache.clusters, cache.secrets, cache.services].map(({ synced }) => synced)).then(
    () => {
      wakeDatabases(sources, databases.enqueue);
    },
    () => undefined, // ended before
  );
  void Promise.all([cache.clusters, cache.databases, cache.remoteClusters].map(({ synced }) => synced)).then(
    () => {
      wakeActiveActives(sources, { activeActive: activeActives.enqueue, remoteCluster: remoteClusters.enqueue });
    },
    () => undefined, // ended before
  );
}
