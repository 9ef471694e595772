import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { ADMISSION_SECRET, APP_LABEL, LABELS, OPERATOR_NAME, PORTS } from "../api/names.ts";
import { eventRecorder } from "../kube/events.ts";
import type { Kube } from "../kube/kube.ts";
import { keyOf } from "../kube/ref.ts";
import { tellingRefusals } from "../kube/refusals.ts";
import { openConnections } from "../observe/connections.ts";
import { startCopies } from "../observe/copies.ts";
import { kubernetesMinor } from "../observe/kubernetes-version.ts";
import { reviewPermissions, type Permissions } from "../observe/permissions.ts";
import { openSites } from "../observe/sites.ts";
import { runController } from "../reconcile/controller.ts";
import { objectKeeper } from "../reconcile/keeper.ts";
import { runWhileLeader } from "../reconcile/leader.ts";
import { activeActiveReconciler } from "./active-active/controller.ts";
import { admissionReconciler } from "./admission/controller.ts";
import { userModulesKeeper } from "./cluster/user-modules.ts";
import { clusterReconciler } from "./cluster/controller.ts";
import type { OperatorConfig } from "./config.ts";
import { databaseReconciler } from "./database/controller.ts";
import { keepFootings } from "./footing.ts";
import { serveHealth, type Health } from "./health.ts";
import { followLeaving } from "./leaving.ts";
import { startMetrics, type Metrics } from "./metrics.ts";
import { followKept } from "./objects/kept.ts";
import { ownDeployment } from "./own-deployment.ts";
import { followOwnPermissions } from "./own-permissions.ts";
import { remoteClusterReconciler } from "./remote-cluster/controller.ts";
import { wakeActiveActives, wakeClusters, wakeDatabases } from "./wake-ups.ts";

export interface OperatorDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: OperatorConfig;
  /** Where probes and metrics are; the fixed port when absent. */
  readonly healthPort?: number;
  /** What runs in the same process: the probe waits for it, and its metrics are told too. */
  readonly alongside?: Health;
}

/** A leader that is silent for this long is replaced, in milliseconds. */
const LEASE_MS = 8_000;
const RENEW_MS = 2_000;
const RETRY_MS = 500;

/** As many as the API server is asked at once. */
const DATABASES_AT_ONCE = 8;

/** As many sites, or databases over several, are waited for at once. */
const SITES_AT_ONCE = 4;

/** Serves probes, competes to lead, and manages clusters and databases while leading, until `signal` aborts. */
export async function runOperator(deps: OperatorDeps, signal: AbortSignal): Promise<void> {
  const { clock, log, config } = deps;
  const { namespace, release, platform = "kubernetes" } = config;
  const permissions = reviewPermissions(deps.kube, { namespace, clock, log, platform });
  const kube = tellingRefusals(deps.kube, () => {
    permissions.doubt();
  });
  const metrics = startMetrics(config.release.operator, () => clock.now().getTime());
  let isReady = false;
  const where = { host: config.address, port: deps.healthPort ?? PORTS.metrics };
  const over = new AbortController();
  const own = followOwnPermissions({
    permissions,
    release,
    clock,
    log,
    signal: AbortSignal.any([signal, over.signal]),
    onCount: (missing) => {
      metrics.setMissingPermissions(missing);
    },
  });
  const unready = (): string | undefined => own.mute() ?? (isReady ? undefined : "starting");
  const health = await serveHealth(together({ unready, metrics: () => metrics.text() }, deps), where);
  log.info("operator started", { release: config.release.operator, namespace: config.namespace });
  try {
    const owner = await ownDeployment(kube, namespace, log);
    const election = runWhileLeader(
      {
        kube,
        ...(owner === undefined ? {} : { owner }),
        lease: { name: OPERATOR_NAME, namespace: config.namespace },
        labels: { [LABELS.app]: APP_LABEL },
        identity: config.identity,
        leaseMs: LEASE_MS,
        renewMs: RENEW_MS,
        retryMs: RETRY_MS,
        clock,
        log,
        signal,
        onNewLeader: () => {
          isReady = true;
        },
      },
      (term) => manage({ ...deps, kube, permissions }, metrics, term),
    );
    await election;
  } finally {
    over.abort();
    await own.stopped;
    await health.close();
  }
}

function together(own: Health, { alongside }: OperatorDeps): Health {
  if (alongside === undefined) return own;
  return {
    unready: () => own.unready() ?? alongside.unready(),
    metrics: () => own.metrics() + alongside.metrics(),
  };
}

/** One term as leader. */
async function manage(
  { kube, clock, log, config, permissions }: OperatorDeps & { readonly permissions: Permissions },
  metrics: Metrics,
  signal: AbortSignal,
): Promise<void> {
  const { namespace } = config;
  const following = { namespace, clock, log, signal };
  const copies = startCopies(kube, following);
  const kept = followKept(kube, following);
  const connections = openConnections(kube, clock);
  const footings = keepFootings();
  const sites = openSites(kube, clock);
  const events = eventRecorder(kube, { component: OPERATOR_NAME, clock, log });
  const admission = admissionReconciler({ kube, clock, log, namespace, watched: [namespace] });
  const deps = {
    kube,
    clock,
    log,
    events,
    admission: admission.statement,
    webhook: admission.facts,
    connections,
    permissions,
    userModules: userModulesKeeper({ kube, clock }),
    copies,
    footings,
    keeper: objectKeeper(kube, OPERATOR_NAME, kept),
    release: config.release,
    platform: config.platform ?? "kubernetes",
    kubernetesMinor: kubernetesMinor(kube, clock, log),
  };
  const leaving = followLeaving({ kube, namespace, copies, clock, log, events, signal });
  const working = AbortSignal.any([signal, leaving.due]);
  const clusters = runController({
    name: "cluster",
    reconcile: metrics.counted("cluster", clusterReconciler(deps)),
    clock,
    log,
    signal: working,
  });
  const databases = runController({
    name: "database",
    reconcile: metrics.counted("database", databaseReconciler(deps)),
    workers: DATABASES_AT_ONCE,
    clock,
    log,
    signal: working,
  });
  const activeActives = runController({
    name: "active-active",
    reconcile: metrics.counted("active-active", activeActiveReconciler({ ...deps, sites })),
    workers: SITES_AT_ONCE,
    clock,
    log,
    signal: working,
  });
  const remoteClusters = runController({
    name: "remote-cluster",
    reconcile: metrics.counted(
      "remote-cluster",
      remoteClusterReconciler({ ...deps, sites, onSpokenOf: activeActives.enqueue }),
    ),
    workers: SITES_AT_ONCE,
    clock,
    log,
    signal: working,
  });
  const webhook = runController({
    name: "admission",
    reconcile: metrics.counted("admission", () => admission.reconcile()),
    clock,
    log,
    signal: working,
  });
  webhook.enqueue(keyOf({ name: ADMISSION_SECRET, namespace }));
  const stay = runController({ name: "stay", reconcile: () => leaving.keepStay(), clock, log, signal: working });
  const lookWhetherToStay = (): void => {
    stay.enqueue(OPERATOR_NAME);
  };
  metrics.setLeading(true);
  try {
    leaving.onChange(lookWhetherToStay);
    for (const informer of [copies.clusters, copies.databases, copies.activeActives, copies.remoteClusters]) {
      informer.onChange((_ref, current, previous) => {
        if (current === undefined || previous === undefined) lookWhetherToStay();
      });
    }
    const sources = { copies, kept, connections, footings };
    wakeClusters(sources, clusters.enqueue);
    void copies.clusters.synced.then(
      () => {
        wakeDatabases(sources, databases.enqueue);
      },
      () => undefined, // the term ended before
    );
    void Promise.all([copies.clusters, copies.databases, copies.remoteClusters].map(({ synced }) => synced)).then(
      () => {
        wakeActiveActives(sources, { activeActive: activeActives.enqueue, remoteCluster: remoteClusters.enqueue });
      },
      () => undefined, // the term ended before
    );
    await Promise.all(
      [clusters, databases, activeActives, remoteClusters, stay, webhook].map((controller) => controller.stopped),
    );
    if (leaving.due.aborted) await leaving.leave();
  } finally {
    metrics.setLeading(false);
    await events.flush();
    await connections.close();
    await sites.close();
  }
}
