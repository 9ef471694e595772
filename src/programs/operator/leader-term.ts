import type { Clock } from "../../core/base/clock.ts";
import type { Log } from "../../core/base/log.ts";
import { ADMISSION_SECRET, OPERATOR_NAME } from "../../core/api/names.ts";
import { eventRecorder } from "../../ports/kube/events.ts";
import type { Kube } from "../../ports/kube/kube.ts";
import { keyOf } from "../../ports/kube/ref.ts";
import { tellingRefusals } from "../../ports/kube/refusals.ts";
import { startInformerCache } from "../../mechanisms/observe/kubernetes/informer-cache.ts";
import { kubernetesMinor } from "../../mechanisms/observe/kubernetes/kubernetes-version.ts";
import { reviewPermissions, type Permissions } from "../../mechanisms/observe/permissions/permissions.ts";
import type { WatchedNamespaces } from "../../mechanisms/observe/kubernetes/watched-namespaces.ts";
import { runController } from "../../mechanisms/reconcile/controller.ts";
import { admissionReconciler } from "./admission/controller.ts";
import type { OperatorConfig } from "./process/config.ts";
import { manageFurtherNamespaces, type OnFinding } from "./namespace/further-namespaces.ts";
import { followTeardown } from "./teardown/teardown.ts";
import type { Metrics } from "./process/metrics.ts";
import { followOwnPermissions } from "./process/own-permissions.ts";
import { manageNamespace, type NamespaceDeps } from "./namespace/namespace.ts";

export interface TermDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: OperatorConfig;
  /** What the operator may do in its own namespace. */
  readonly permissions: Permissions;
  readonly metrics: Metrics;
  readonly watched: WatchedNamespaces;
}

/** One term as leader: looks after the webhook and every watched namespace until `signal` aborts, or the operator is deleted. */
export async function serveTerm(deps: TermDeps, signal: AbortSignal): Promise<void> {
  const { kube, clock, log, config, metrics, watched } = deps;
  const { namespace } = config;
  const events = eventRecorder(kube, { component: OPERATOR_NAME, clock, log });
  const cache = startInformerCache(kube, { namespace, clock, log, signal });
  const leaving = followTeardown({ kube, namespace, watched, cache, clock, log, events, signal });
  const working = AbortSignal.any([signal, leaving.due]);
  const admission = admissionReconciler({ kube, clock, log, namespace, watched });
  const webhook = runController({
    name: "admission",
    reconcile: metrics.counted("admission", () => admission.reconcile()),
    clock,
    log,
    signal: working,
  });
  webhook.enqueue(keyOf({ name: ADMISSION_SECRET, namespace }));
  const stay = runController({
    name: "stay",
    reconcile: () => leaving.reconcileFinalizer(),
    clock,
    log,
    signal: working,
  });
  const lookWhetherToStay = (): void => {
    stay.enqueue(OPERATOR_NAME);
  };
  const common = {
    ...deps,
    webhook: admission.facts,
    kubernetesMinor: kubernetesMinor(kube, clock, log),
    onTraffic: lookWhetherToStay,
    installation: () => [admission.statement(), further.statement()].filter((statement) => statement !== undefined),
  };
  metrics.setLeading(true);
  const further = manageFurtherNamespaces(
    { kube, clock, log, events, own: namespace, watched, manage: (...where) => tendFurther(common, ...where) },
    working,
  );
  try {
    leaving.onChange(lookWhetherToStay);
    const own = manageNamespace({ ...common, namespace, cache }, working);
    await Promise.all([own, further.stopped, stay.stopped, webhook.stopped]);
    if (leaving.due.aborted) await leaving.leave();
  } finally {
    metrics.setLeading(false);
    await events.flush();
  }
}

type CommonDeps = Omit<NamespaceDeps, "namespace" | "cache">;

/** A namespace beside the operator's own, with its own view of what the operator may do. */
async function tendFurther(
  deps: CommonDeps,
  namespace: string,
  onFinding: OnFinding,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log, config } = deps;
  const where = { namespace, home: config.namespace, platform: config.platform ?? "kubernetes" } as const;
  const permissions = reviewPermissions(deps.kube, { ...where, clock, log });
  const kube = tellingRefusals(deps.kube, () => {
    permissions.doubt();
  });
  const { release } = config;
  const own = followOwnPermissions({ permissions, release, clock, log, signal, onFinding });
  const cache = startInformerCache(kube, { namespace, clock, log, signal });
  await Promise.all([manageNamespace({ ...deps, kube, permissions, namespace, cache }, signal), own.stopped]);
}
