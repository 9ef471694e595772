import type { Lease } from "kubernetes-types/coordination/v1.js";
import type { Clock } from "../../core/base/clock.ts";
import type { Log } from "../../core/base/log.ts";
import { clusterNames, LABELS, PORTS } from "../../core/api/names.ts";
import { ConfigMaps, EndpointSlices, Leases, Pods, Services } from "../../ports/kube/builtin.ts";
import { isTrue } from "../../ports/kube/conditions.ts";
import { startInformer } from "../../ports/kube/informer.ts";
import type { Kube, Stored } from "../../ports/kube/kube.ts";
import { managementClient } from "../../ports/management/client.ts";
import { runController } from "../../mechanisms/reconcile/controller.ts";
import { objectApplier } from "../../mechanisms/reconcile/object-applier.ts";
import type { RiggerConfig } from "./config.ts";
import { riggerReconciler } from "./reconcile.ts";

/** How long one node may take to answer, in milliseconds. */
const TIMEOUT_MS = 2_000;

/** Keeps Services, EndpointSlices and the leader label of one cluster until `signal` aborts. */
export async function runRigger(
  deps: { readonly kube: Kube; readonly clock: Clock; readonly log: Log; readonly config: RiggerConfig },
  signal: AbortSignal,
): Promise<void> {
  const { kube, clock, log, config } = deps;
  const { cluster, namespace } = config;
  const options = { namespace, labelSelector: `${LABELS.cluster}=${cluster}`, clock, log, signal };
  const pods = startInformer(kube, Pods, { ...options, labelSelector: `${options.labelSelector},${LABELS.role}=node` });
  const records = startInformer(kube, ConfigMaps, options);
  const leases = startInformer(kube, Leases, options);
  const services = startInformer(kube, Services, options);
  const slices = startInformer(kube, EndpointSlices, options);
  const client = managementClient({
    addresses: () =>
      pods
        .list()
        .toSorted((a, b) => Number(isReady(b)) - Number(isReady(a)))
        .map(({ status }) => status?.podIP ?? "")
        .filter((address) => address !== ""),
    port: PORTS.management,
    serverName: clusterNames.dnsName(cluster, namespace),
    ca: config.ca,
    username: config.username,
    password: config.password,
    timeoutMs: TIMEOUT_MS,
    remembers: true,
  });
  let changedAt = clock.now().getTime();
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
    sinceChangeMs: () => clock.now().getTime() - changedAt,
  });
  try {
    await Promise.all([pods, records, leases, services, slices].map(({ synced }) => synced));
    const controller = runController({ name: "rigger", reconcile, clock, log, signal });
    const wake = (): void => {
      changedAt = clock.now().getTime();
      controller.enqueue(cluster);
    };
    pods.onChange(wake);
    records.onChange(wake);
    for (const informer of [services, slices]) {
      informer.onChange(() => {
        controller.enqueue(cluster);
      });
    }
    leases.onChange((_ref, current, previous) => {
      if (saysNews(current, previous)) wake();
    });
    await controller.stopped;
  } finally {
    await client.close();
  }
}

/** A renewal alone is no news; another holder, or another report of a node, is. */
function saysNews(current: Stored<Lease> | undefined, previous: Stored<Lease> | undefined): boolean {
  const told = (lease: Stored<Lease> | undefined): string =>
    JSON.stringify([lease?.spec?.holderIdentity, lease?.metadata.annotations]);
  return told(current) !== told(previous);
}

function isReady(pod: {
  readonly status?: { readonly conditions?: readonly { type: string; status: string }[] };
}): boolean {
  return isTrue(pod.status?.conditions, "Ready");
}
