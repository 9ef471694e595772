import type { Distribution } from "../../../core/releases/catalogue/distribution.ts";
import { OPERATOR_NAME } from "../../../core/api/names.ts";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { eventRecorder, type EventRecorder } from "#kit/kube/events";
import type { Kube } from "#kit/kube/kube";
import { openConnections, type Connections } from "../../../mechanisms/observe/management/connections.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { Permissions } from "../../../mechanisms/observe/permissions/permissions.ts";
import type { Statement } from "../../../core/planner/findings/statement.ts";
import { openSites, type Sites } from "../../../mechanisms/observe/sites/sites.ts";
import { runController, type Controller } from "#kit/reconcile/controller";
import { type AppliedKind, objectApplier } from "#kit/reconcile/object-applier";
import type { Outcome } from "#kit/reconcile/outcome";
import { activeActiveReconciler } from "../active-active/controller.ts";
import type { AdmissionReport } from "../admission/controller.ts";
import { askNodes } from "../cluster/ask-nodes.ts";
import { linkedSites } from "../remote-cluster/linked-sites.ts";
import { clusterReconciler } from "../cluster/controller.ts";
import { ownSecretsIn } from "../cluster/own-secrets.ts";
import { WorkloadWritings } from "../cluster/workload-writings.ts";
import { callersIn } from "../cluster/owned-objects.ts";
import { userModulesReconciler } from "../cluster/user-modules.ts";
import type { OperatorConfig } from "../process/config.ts";
import { databaseReconciler } from "../database/controller.ts";
import { clusterContexts } from "../context/cluster-context.ts";
import type { Metrics } from "../process/metrics.ts";
import { holdersIn } from "../secrets/holders.ts";
import { findingLog } from "../objects/finding-log.ts";
import { accountsIn, watchApplied } from "../objects/kept.ts";
import { remoteClusterReconciler } from "../remote-cluster/controller.ts";
import { wakeActiveActives, wakeClusters, wakeDatabases, type Sources } from "./wake-ups.ts";

export interface NamespaceDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: OperatorConfig;
  /** The namespace whose clusters and databases are managed. */
  readonly namespace: string;
  readonly cache: InformerCache;
  /** What the operator may do there. */
  readonly permissions: Permissions;
  readonly metrics: Metrics;
  /** State of the operator's own installation, for the conditions of clusters. */
  readonly installation: () => readonly Statement[];
  /** State of the webhook, for the checks before an upgrade. */
  readonly webhook: AdmissionReport["facts"];
  readonly kubernetesVersion: () => Promise<Distribution | undefined>;
  /** Called when a cluster or a database was made or deleted. */
  readonly onAddedOrRemoved: () => void;
}

/** Concurrent passes over databases: as many requests as the API server gets at once. */
const DATABASE_WORKERS = 8;

/** Concurrent passes over remote clusters, and over Active-Active databases: each waits for other sites. */
const SITE_WORKERS = 4;

/** Manages the clusters and databases of one namespace until `signal` aborts. */
export async function manageNamespace(deps: NamespaceDeps, signal: AbortSignal): Promise<void> {
  const { kube, clock, log, cache } = deps;
  const connections = openConnections(kube, clock);
  const sites = openSites(kube, clock);
  const events = eventRecorder(kube, { component: OPERATOR_NAME, clock, log });
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
    await events.flush();
    await connections.close();
    await sites.close();
  }
}

interface Shared {
  readonly connections: Connections;
  readonly sites: Sites;
  readonly events: EventRecorder;
}

interface Controllers {
  readonly clusters: Controller;
  readonly databases: Controller;
  readonly activeActives: Controller;
  readonly remoteClusters: Controller;
}

function startControllers(
  deps: NamespaceDeps,
  opened: Shared,
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
    remoteClusters: start("remote-cluster", SITE_WORKERS, remoteClusterReconciler({ ...shared, enqueueActiveActive })),
  };
  const { connections, contexts } = shared;
  return { controllers, sources: { cache, applied, connections, contexts } };
}

/** What all reconcilers of a namespace work on. */
function sharedDeps(
  deps: NamespaceDeps,
  opened: Shared,
  applied: readonly AppliedKind[],
  { enqueueCluster, signal }: { readonly enqueueCluster: (key: string) => void; readonly signal: AbortSignal },
) {
  const { kube, clock, log, namespace, cache, config } = deps;
  const given = { kube, holderOf: holdersIn(cache) };
  return {
    ...deps,
    ...opened,
    ...given,
    contexts: clusterContexts(),
    findings: findingLog(log),
    userModules: userModulesReconciler({ ...given, clock, signal, enqueue: enqueueCluster }),
    applied,
    applier: objectApplier(kube, OPERATOR_NAME, applied),
    release: config.release,
    baseSystem: config.baseSystem,
    ownModules: config.ownModules,
    platform: config.platform ?? "kubernetes",
    ownSecrets: ownSecretsIn(cache, applied),
    askNodes: askNodes(cache),
    linkedSites: linkedSites(cache, opened.sites),
    writings: new WorkloadWritings(),
    callers: callersIn(cache, namespace, config.namespace),
    accountMadeAt: accountsIn(applied),
  } as const;
}

/** A database is reconciled once its cluster, its Secret and its Service are known, and an Active-Active database once its participants are. */
function enqueueOnChange(sources: Sources, { clusters, databases, activeActives, remoteClusters }: Controllers): void {
  const { cache } = sources;
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
