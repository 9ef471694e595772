import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { APP_LABEL, LABELS, OPERATOR_NAME, PORTS } from "../../core/api/names.ts";
import type { Kube } from "#kit/kube/kube";
import { reportingForbidden } from "#kit/kube/forbidden";
import { reviewPermissions } from "../../mechanisms/observe/permissions/permissions.ts";
import { ownNamespaceOnly, type WatchedNamespaces } from "../../mechanisms/observe/kubernetes/watched-namespaces.ts";
import { runWhileLeader } from "#kit/reconcile/leader";
import type { OperatorConfig } from "./process/config.ts";
import { serveHealth, type Health } from "./process/health.ts";
import { startMetrics } from "./process/metrics.ts";
import { ownDeployment } from "./objects/own-deployment.ts";
import { followOwnPermissions } from "./process/own-permissions.ts";
import { runLeaderTerm, type LeaderTermDeps } from "./leader-term.ts";

export interface OperatorDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: OperatorConfig;
  /** Where probes and metrics are; the fixed port when absent. */
  readonly healthPort?: number;
  /** The namespaces that it manages; only its own when absent. */
  readonly watched?: WatchedNamespaces;
  /** What runs in the same process: the probe waits for it, and its metrics are served too. */
  readonly alongside?: Health;
}

/** A leader that has not renewed its Lease for this long is replaced, in milliseconds. */
const LEASE_MS = 8_000;
const RENEW_MS = 2_000;
const RETRY_MS = 500;

/** Serves probes, competes to lead, and manages clusters and databases while leading, until `signal` aborts. */
export async function runOperator(deps: OperatorDeps, signal: AbortSignal): Promise<void> {
  const { clock, log, config } = deps;
  const { namespace, release, platform = "kubernetes" } = config;
  const permissions = reviewPermissions(deps.kube, { namespace, clock, log, platform });
  const kube = reportingForbidden(deps.kube, () => {
    permissions.invalidate();
  });
  const metrics = startMetrics(config.release.operator, () => clock.uptimeMs());
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
  const unready = (): string | undefined => own.unready() ?? (isReady ? undefined : "starting");
  const health = await serveHealth(together({ unready, metrics: () => metrics.text() }, deps), where);
  log.info("operator started", { release: config.release.operator, namespace: config.namespace });
  try {
    const onNewLeader = (): void => {
      isReady = true;
    };
    await lead({ ...deps, kube, permissions, metrics }, onNewLeader, signal);
  } finally {
    over.abort();
    await own.stopped;
    await health.close();
  }
}

async function lead(
  deps: Omit<LeaderTermDeps, "watched"> & Pick<OperatorDeps, "watched">,
  onNewLeader: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { kube, clock, log, config } = deps;
  const { namespace, identity } = config;
  const watched = deps.watched ?? ownNamespaceOnly(namespace);
  const owner = await ownDeployment(kube, namespace, log);
  await runWhileLeader(
    {
      kube,
      ...(owner === undefined ? {} : { owner }),
      lease: { name: OPERATOR_NAME, namespace },
      labels: { [LABELS.app]: APP_LABEL },
      identity,
      leaseMs: LEASE_MS,
      renewMs: RENEW_MS,
      retryMs: RETRY_MS,
      clock,
      log,
      signal,
      onNewLeader,
    },
    (term) => runLeaderTerm({ ...deps, watched }, term),
  );
}

function together(own: Health, { alongside }: OperatorDeps): Health {
  if (alongside === undefined) return own;
  return {
    unready: () => own.unready() ?? alongside.unready(),
    metrics: () => own.metrics() + alongside.metrics(),
  };
}
