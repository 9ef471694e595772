import { isDeepStrictEqual } from "node:util";
import type { Lease } from "kubernetes-types/coordination/v1.js";
import type { ConfigMap, Pod, Service } from "kubernetes-types/core/v1.js";
import type { EndpointSlice } from "kubernetes-types/discovery/v1.js";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { clusterNames, LABELS, PORTS } from "../../core/api/names.ts";
import { ConfigMaps, EndpointSlices, Leases, Pods, Services } from "#kit/kube/builtin";
import { startInformer, type Informer } from "#kit/kube/informer";
import type { Kube, Stored } from "#kit/kube/kube";
import { isReady } from "#kit/kube/pods";
import { managementClient, type ManagementClient } from "../../ports/management/client.ts";
import { runController } from "#kit/reconcile/controller";
import { objectApplier } from "#kit/reconcile/object-applier";
import type { RiggerConfig } from "./config.ts";
import { riggerReconciler } from "./reconcile.ts";

/** How long one node may take to answer, in milliseconds. */
const TIMEOUT_MS = 2_000;

export interface RiggerOptions {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  /** Reads the mounts of the rigger: they change while it runs. */
  readonly readConfig: () => RiggerConfig;
}

/** Keeps Services, EndpointSlices and the leader label of one cluster until `signal` aborts. */
export async function runRigger(deps: RiggerOptions, signal: AbortSignal): Promise<void> {
  const { kube, clock, log } = deps;
  const config = deps.readConfig();
  const { cluster, namespace } = config;
  const cache = startCache(deps, config, signal);
  const { pods, records, services, slices } = cache;
  const { client, close } = followMounts(deps, config, pods);
  let changedAt = clock.uptimeMs();
  const reconcile = riggerReconciler({
    kube,
    client,
    applier: objectApplier(kube, clusterNames.rigger(cluster), [
      { type: Services, cache: services },
      { type: EndpointSlices, cache: slices },
    ]),
    log,
    cluster,
    namespace,
    pods,
    records,
    services,
    slices,
    sinceChangeMs: () => clock.uptimeMs() - changedAt,
  });
  try {
    await Promise.all(Object.values(cache).map(({ synced }) => synced));
    const controller = runController({ name: "rigger", reconcile, clock, log, signal });
    const enqueue = (): void => {
      controller.enqueue(cluster);
    };
    enqueueOnChange(cache, enqueue, () => {
      changedAt = clock.uptimeMs();
      enqueue();
    });
    await controller.stopped;
  } finally {
    await close();
  }
}

interface RiggerCache {
  readonly pods: Informer<Pod>;
  readonly records: Informer<ConfigMap>;
  readonly leases: Informer<Lease>;
  readonly services: Informer<Service>;
  readonly slices: Informer<EndpointSlice>;
}

function startCache(
  { kube, clock, log }: RiggerOptions,
  { cluster, namespace }: RiggerConfig,
  signal: AbortSignal,
): RiggerCache {
  const options = { namespace, labelSelector: `${LABELS.cluster}=${cluster}`, clock, log, signal };
  const ofNodes = { ...options, labelSelector: `${options.labelSelector},${LABELS.role}=node` };
  return {
    pods: startInformer(kube, Pods, ofNodes),
    records: startInformer(kube, ConfigMaps, options),
    leases: startInformer(kube, Leases, options),
    services: startInformer(kube, Services, options),
    slices: startInformer(kube, EndpointSlices, options),
  };
}

/** Keeps one client at a time: a new one once password or authority of the cluster have changed. */
function followMounts(
  { readConfig, log }: RiggerOptions,
  first: RiggerConfig,
  pods: Informer<Pod>,
): { readonly client: () => ManagementClient; readonly close: () => Promise<void> } {
  let known = { config: first, client: openClient(first, pods) };
  return {
    client() {
      try {
        const config = readConfig();
        if (isDeepStrictEqual(config, known.config)) return known.client;
        void known.client.close(); // once it has its answers
        known = { config, client: openClient(config, pods) };
      } catch (error) {
        log.warn("the mounts cannot be read; what was read before stays in use", { error });
      }
      return known.client;
    },
    close: () => known.client.close(),
  };
}

/** Ready nodes are tried first. */
function openClient(config: RiggerConfig, pods: Informer<Pod>): ManagementClient {
  const { cluster, namespace, ca, username, password } = config;
  return managementClient({
    addresses: () =>
      pods
        .list()
        .toSorted((a, b) => Number(isReady(b)) - Number(isReady(a)))
        .map(({ status }) => status?.podIP ?? "")
        .filter((address) => address !== ""),
    port: PORTS.management,
    serverName: clusterNames.dnsName(cluster, namespace),
    ca,
    username,
    password,
    timeoutMs: TIMEOUT_MS,
    remembers: true,
  });
}

/** `onClusterChange` is for changes of the cluster itself, after which its management API is polled more often. */
function enqueueOnChange(
  { pods, records, leases, services, slices }: RiggerCache,
  enqueue: () => void,
  onClusterChange: () => void,
): void {
  pods.onChange(onClusterChange);
  records.onChange(onClusterChange);
  services.onChange(enqueue);
  slices.onChange(enqueue);
  leases.onChange((_ref, current, previous) => {
    if (isReportChanged(current, previous)) onClusterChange();
  });
}

/** A renewal alone does not count; another holder, or another report of a node, does. */
function isReportChanged(current: Stored<Lease> | undefined, previous: Stored<Lease> | undefined): boolean {
  const reportOf = (lease: Stored<Lease> | undefined): string =>
    JSON.stringify([lease?.spec?.holderIdentity, lease?.metadata.annotations]);
  return reportOf(current) !== reportOf(previous);
}
