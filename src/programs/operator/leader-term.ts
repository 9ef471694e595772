import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { ADMISSION_SECRET, OPERATOR_NAME } from "../../core/api/names.ts";
import { eventRecorder } from "#kit/kube/events";
import type { Kube } from "#kit/kube/kube";
import { keyOf } from "#kit/kube/ref";
import { reportingForbidden } from "#kit/kube/forbidden";
import { startInformerCache } from "../../mechanisms/observe/kubernetes/informer-cache.ts";
import { kubernetesVersion } from "../../mechanisms/observe/kubernetes/kubernetes-version.ts";
import { reviewPermissions, type Permissions } from "../../mechanisms/observe/permissions/permissions.ts";
import type { WatchedNamespaces } from "../../mechanisms/observe/kubernetes/watched-namespaces.ts";
import { runController, type Controller } from "#kit/reconcile/controller";
import type { Outcome } from "#kit/reconcile/outcome";
import { admissionReconciler } from "./admission/controller.ts";
import type { OperatorConfig } from "./process/config.ts";
import { manageFurtherNamespaces, type OnFinding } from "./namespace/further-namespaces.ts";
import { followTeardown } from "./teardown/teardown.ts";
import type { Metrics } from "./process/metrics.ts";
import { followOwnPermissions } from "./process/own-permissions.ts";
import { manageNamespace } from "./namespace/namespace.ts";
import type { NamespaceDeps } from "./namespace/shared-deps.ts";

export interface LeaderTermDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: OperatorConfig;
  /** What the operator may do in its own namespace. */
  readonly permissions: Permissions;
  readonly metrics: Metrics;
  readonly watched: WatchedNamespaces;
}

/** Manages the webhook and every watched namespace until `signal` aborts or the operator's Deployment is deleted. */
export async function runLeaderTerm(deps: LeaderTermDeps, signal: AbortSignal): Promise<void> {
  const { kube, clock, log, config, metrics, watched } = deps;
  const { namespace } = config;
  const events = eventRecorder(kube, { component: OPERATOR_NAME, clock, log });
  const cache = startInformerCache(kube, { namespace, clock, log, signal });
  const teardown = followTeardown({ kube, namespace, watched, cache, clock, log, events, signal });
  const working = AbortSignal.any([signal, teardown.due]);
  const start = (name: string, reconcile: (key: string) => Promise<Outcome>): Controller =>
    runController({ name, reconcile, clock, log, signal: working });
  const admission = admissionReconciler({ kube, clock, log, namespace, watched });
  const webhook = start(
    "admission",
    metrics.counted("admission", () => admission.reconcile()),
  );
  webhook.enqueue(keyOf({ name: ADMISSION_SECRET, namespace }));
  const finalizer = start("teardown", () => teardown.reconcileFinalizer());
  const reconcileFinalizer = (): void => {
    finalizer.enqueue(OPERATOR_NAME);
  };
  const common: CommonDeps = {
    ...deps,
    webhook: admission.facts,
    kubernetesVersion: kubernetesVersion(kube, clock, log),
    onAddedOrRemoved: reconcileFinalizer,
    installation: () => [admission.statement(), further.statement()].filter((statement) => statement !== undefined),
  };
  metrics.setLeading(true);
  const manage = (...where: FurtherNamespace): Promise<void> => manageFurther(common, ...where);
  const further = manageFurtherNamespaces({ kube, clock, log, events, own: namespace, watched, manage }, working);
  try {
    teardown.onChange(reconcileFinalizer);
    const own = manageNamespace({ ...common, namespace, cache }, working);
    await Promise.all([own, further.stopped, finalizer.stopped, webhook.stopped]);
    // a namespace that is deleted ends the operator together with what it has to remove its finalizers from
    if (teardown.due.aborted || (signal.aborted && (await teardown.isDue()))) await teardown.run();
  } finally {
    metrics.setLeading(false);
    await events.flush();
  }
}

type CommonDeps = Omit<NamespaceDeps, "namespace" | "cache">;
type FurtherNamespace = readonly [namespace: string, onFinding: OnFinding, signal: AbortSignal];

/** Manages a namespace beside the operator's own; the operator's permissions there are reviewed separately. */
async function manageFurther(deps: CommonDeps, ...[namespace, onFinding, signal]: FurtherNamespace): Promise<void> {
  const { clock, log, config } = deps;
  const where = { namespace, home: config.namespace, platform: config.platform ?? "kubernetes" } as const;
  const permissions = reviewPermissions(deps.kube, { ...where, clock, log });
  const kube = reportingForbidden(deps.kube, () => {
    permissions.invalidate();
  });
  const { release } = config;
  const own = followOwnPermissions({ permissions, release, clock, log, signal, onFinding });
  const cache = startInformerCache(kube, { namespace, clock, log, signal });
  await Promise.all([manageNamespace({ ...deps, kube, permissions, namespace, cache }, signal), own.stopped]);
}
