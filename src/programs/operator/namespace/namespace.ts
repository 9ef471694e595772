import { OPERATOR_NAME } from "../../../core/api/names.ts";
import type { Clock } from "../../../core/base/clock.ts";
import type { Log } from "../../../core/base/log.ts";
import { eventRecorder } from "../../../ports/kube/events.ts";
import type { Kube } from "../../../ports/kube/kube.ts";
import { openConnections } from "../../../mechanisms/observe/management/connections.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { Permissions } from "../../../mechanisms/observe/permissions/permissions.ts";
import type { Statement } from "../../../core/planner/findings/statement.ts";
import { openSites } from "../../../mechanisms/observe/sites/sites.ts";
import { runController } from "../../../mechanisms/reconcile/controller.ts";
import { objectApplier } from "../../../mechanisms/reconcile/object-applier.ts";
import { activeActiveReconciler } from "../active-active/controller.ts";
import type { AdmissionReport } from "../admission/controller.ts";
import { clusterReconciler } from "../cluster/controller.ts";
import { userModulesReconciler } from "../cluster/user-modules.ts";
import type { OperatorConfig } from "../process/config.ts";
import { databaseReconciler } from "../database/controller.ts";
import { clusterContexts } from "../context/cluster-context.ts";
import type { Metrics } from "../process/metrics.ts";
import { watchApplied } from "../objects/kept.ts";
import { remoteClusterReconciler } from "../remote-cluster/controller.ts";
import { wakeActiveActives, wakeClusters, wakeDatabases } from "./wake-ups.ts";

export interface NamespaceDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: OperatorConfig;
  /** The namespace whose clusters and databases are looked after. */
  readonly namespace: string;
  readonly cache: InformerCache;
  /** What the operator may do there. */
  readonly permissions: Permissions;
  readonly metrics: Metrics;
  /** What is known of the operator's own installation, for the conditions of clusters. */
  readonly installation: () => readonly Statement[];
  /** What upgrades are judged by of the webhook. */
  readonly webhook: AdmissionReport["facts"];
  readonly kubernetesMinor: () => Promise<string | undefined>;
  /** Told when a cluster or a database has come or gone. */
  readonly onTraffic: () => void;
}

/** As many as the API server is asked at once. */
const DATABASES_AT_ONCE = 8;

/** As many sites, or databases over several, are waited for at once. */
const SITES_AT_ONCE = 4;

/** Looks after the clusters and databases of one namespace until `signal` aborts. */
export async function manageNamespace(deps: NamespaceDeps, signal: AbortSignal): Promise<void> {
  const { kube, clock, log, namespace, cache, config, metrics, onTraffic } = deps;
  const following = { namespace, clock, log, signal };
  const applied = watchApplied(kube, following);
  const connections = openConnections(kube, clock);
  const contexts = clusterContexts();
  const sites = openSites(kube, clock);
  const events = eventRecorder(kube, { component: OPERATOR_NAME, clock, log });
  const shared = {
    kube,
    clock,
    log,
    events,
    installation: deps.installation,
    webhook: deps.webhook,
    connections,
    permissions: deps.permissions,
    userModules: userModulesReconciler({ kube, clock }),
    cache,
    contexts,
    applier: objectApplier(kube, OPERATOR_NAME, applied),
    release: config.release,
    platform: config.platform ?? "kubernetes",
    kubernetesMinor: deps.kubernetesMinor,
  };
  const clusters = runController({
    name: "cluster",
    reconcile: metrics.counted("cluster", clusterReconciler(shared)),
    clock,
    log,
    signal,
  });
  const databases = runController({
    name: "database",
    reconcile: metrics.counted("database", databaseReconciler(shared)),
    workers: DATABASES_AT_ONCE,
    clock,
    log,
    signal,
  });
  const activeActives = runController({
    name: "active-active",
    reconcile: metrics.counted("active-active", activeActiveReconciler({ ...shared, sites })),
    workers: SITES_AT_ONCE,
    clock,
    log,
    signal,
  });
  const remoteClusters = runController({
    name: "remote-cluster",
    reconcile: metrics.counted(
      "remote-cluster",
      remoteClusterReconciler({ ...shared, sites, onSpokenOf: activeActives.enqueue }),
    ),
    workers: SITES_AT_ONCE,
    clock,
    log,
    signal,
  });
  try {
    for (const informer of [cache.clusters, cache.databases, cache.activeActives, cache.remoteClusters]) {
      informer.onChange((_ref, current, previous) => {
        if (current === undefined || previous === undefined) onTraffic();
      });
    }
    const sources = { cache, applied, connections, contexts };
    wakeClusters(sources, clusters.enqueue);
    void cache.clusters.synced.then(
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
    await Promise.all([clusters, databases, activeActives, remoteClusters].map((controller) => controller.stopped));
  } finally {
    await events.flush();
    await connections.close();
    await sites.close();
  }
}
