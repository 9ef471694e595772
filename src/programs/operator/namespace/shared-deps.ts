import type { Distribution } from "../../../core/releases/catalogue/distribution.ts";
import { OPERATOR_NAME } from "../../../core/api/names.ts";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { EventRecorder } from "#kit/kube/events";
import type { Kube } from "#kit/kube/kube";
import type { Connections } from "../../../mechanisms/observe/management/connections.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { Permissions } from "../../../mechanisms/observe/permissions/permissions.ts";
import type { Statement } from "../../../core/planner/findings/statement.ts";
import type { Sites } from "../../../mechanisms/observe/sites/sites.ts";
import { type AppliedKind, objectApplier } from "#kit/reconcile/object-applier";
import type { AdmissionReport } from "../admission/controller.ts";
import { askNodes } from "../cluster/ask-nodes.ts";
import { linkedSites } from "../remote-cluster/linked-sites.ts";
import { ownSecretsIn } from "../cluster/own-secrets.ts";
import { WorkloadWritings } from "../cluster/workload-writings.ts";
import { callersIn } from "../cluster/owned-objects.ts";
import { userModulesReconciler } from "../cluster/user-modules.ts";
import type { OperatorConfig } from "../process/config.ts";
import { clusterContexts } from "../context/cluster-context.ts";
import type { Metrics } from "../process/metrics.ts";
import { holdersIn } from "../secrets/holders.ts";
import { findingLog } from "../objects/finding-log.ts";
import { accountsIn } from "../objects/kept.ts";

/** What managing a namespace takes. */
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

/** What one namespace has opened for itself. */
export interface OpenedForNamespace {
  readonly connections: Connections;
  readonly sites: Sites;
  readonly events: EventRecorder;
}

/** What all reconcilers of a namespace work on. */
export function sharedDeps(
  deps: NamespaceDeps,
  opened: OpenedForNamespace,
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
