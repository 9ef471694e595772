import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Pod } from "kubernetes-types/core/v1.js";
import type { Clock } from "../../../controller-kit/src/base/clock.ts";
import type { Log } from "../../../controller-kit/src/base/log.ts";
import { waitForAbort } from "../../../controller-kit/src/base/wait-for-abort.ts";
import { ConfigMaps, Pods, Secrets } from "../../../controller-kit/src/kube/builtin.ts";
import { eventRecorder } from "../../../controller-kit/src/kube/events.ts";
import { startInformer } from "../../../controller-kit/src/kube/informer.ts";
import type { Kube, Ref, Stored } from "../../../controller-kit/src/kube/kube.ts";
import { isOver } from "../../../controller-kit/src/kube/pods.ts";
import { createAddressPool, type AddressPool } from "./node/addresses.ts";
import type { ImageStore } from "./container/images.ts";
import { registerNode } from "./node/register.ts";
import { streamPodLog } from "./container/logs.ts";
import type { FindLog, LogOptions, PodName } from "./container/logs.ts";
import { placesBelow, removePod } from "./pod/places.ts";
import type { KubeletPlaces } from "./pod/places.ts";
import { PodWorker } from "./pod/worker.ts";
import type { PodDeps } from "./pod/worker.ts";
import { openProcessTable } from "./container/process-table.ts";
import { KUBERNETES_RETRY } from "./container/backoff.ts";
import type { RetryPolicy } from "./container/backoff.ts";
import { bindPods } from "./node/scheduler.ts";
import { unlessMissing } from "../../../controller-kit/src/files/unless-missing.ts";

/** What a kubelet runs with. */
export interface KubeletOptions {
  readonly kube: Kube;
  readonly nodeName: string;
  /** Folder of pods, volumes and processes; one kubelet at a time. */
  readonly dir: string;
  /** First two octets of the addresses of pods, for instance "127.42.". */
  readonly subnet: string;
  readonly images: ImageStore;
  /** A token for a service account, which pods find in their kubeconfig. */
  readonly serviceAccountToken: (namespace: string, name: string) => Promise<string>;
  readonly apiServerUrl: string;
  /** PEM that verifies the API server. */
  readonly caCertificate: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Stops the kubelet and all its processes; `stopped` says when. */
  readonly signal: AbortSignal;
  /** Pauses between restarts and between pulls; those of Kubernetes when absent. */
  readonly retry?: RetryPolicy;
}

/** A running kubelet. */
export interface Kubelet {
  /** Output of a container; KUBELET_NO_LOG when it has not run. Ends with the run, or at once without `follow`. */
  podLogs(pod: PodName, container: string, options: LogOptions, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Resolves when the signal has aborted and no process is left. */
  readonly stopped: Promise<void>;
}

/** When the machine goes down, programs have this long; a pod's own grace period is for its deletion. */
const SHUTDOWN_GRACE_MS = 10_000;

/** Registers the node, binds pods to it and runs them as processes; resolves when it is at work. */
export async function runKubelet(options: KubeletOptions): Promise<Kubelet> {
  const { kube, clock, log, signal, nodeName } = options;
  const places = placesBelow(options.dir);
  const processes = await openProcessTable(places.processes);
  const hostIP = `${options.subnet}0.1`;
  const addresses = createAddressPool(options.subnet);
  const deps: PodDeps = {
    ...options,
    hostIP,
    places,
    addresses,
    processes,
    retry: options.retry ?? KUBERNETES_RETRY,
    events: eventRecorder(kube, { component: "kubelet", clock, log }),
  };
  await registerNode(kube, nodeName, hostIP, clock);
  await tidyUp(kube, nodeName, places, addresses);
  const workers = followPods(deps, signal);
  const find: FindLog = (uid, container, previous) =>
    workers.get(uid)?.log(container, previous) ?? "is not on this node";
  return {
    podLogs: (pod, container, logOptions, reader) => streamPodLog(find, pod, container, logOptions, clock, reader),
    stopped: stopWith(signal, workers, () => {
      processes.close();
    }),
  };
}

/** Keeps the addresses that pods have, and removes the files of pods that were deleted meanwhile. */
async function tidyUp(kube: Kube, nodeName: string, places: KubeletPlaces, addresses: AddressPool): Promise<void> {
  const { items } = await kube.list(Pods, { fieldSelector: `spec.nodeName=${nodeName}` });
  for (const pod of items) if (!isOver(pod)) addresses.claim(pod.metadata.uid, pod.status?.podIP ?? "");
  const known = new Set(items.map(({ metadata }) => metadata.uid));
  const folders = (await unlessMissing(readdir(places.pods))) ?? []; // the first start of this folder
  await Promise.all(folders.filter((uid) => !known.has(uid)).map((uid) => removePod(join(places.pods, uid))));
}

type Workers = Map<string, PodWorker>;

function followPods(deps: PodDeps, signal: AbortSignal): Workers {
  const { kube, nodeName, clock, log } = deps;
  const workers: Workers = new Map();
  const pods = startInformer(kube, Pods, { clock, log, signal });
  pods.onChange((_ref, pod, previous) => {
    // a pod of the same name may have come in its place
    const goneUid = previous?.metadata.uid;
    if (goneUid !== undefined && goneUid !== pod?.metadata.uid) workers.get(goneUid)?.update(undefined);
    if (pod !== undefined && pod.spec?.nodeName === nodeName) workOn(pod, workers, deps);
  });
  bindPods(pods, { kube, nodeName, clock, log, signal });
  const changed = (kind: "secrets" | "configMaps") => (ref: Ref) => {
    for (const worker of workers.values()) worker.changed(kind, ref.namespace, ref.name);
  };
  startInformer(kube, Secrets, { clock, log, signal }).onChange(changed("secrets"));
  startInformer(kube, ConfigMaps, { clock, log, signal }).onChange(changed("configMaps"));
  return workers;
}

function workOn(pod: Stored<Pod>, workers: Workers, deps: PodDeps): void {
  const { uid } = pod.metadata;
  const present = workers.get(uid);
  if (present !== undefined) {
    present.update(pod);
    return;
  }
  const worker = new PodWorker(pod, deps);
  workers.set(uid, worker);
  void worker.finished.then(() => workers.delete(uid));
}

async function stopWith(signal: AbortSignal, workers: Workers, close: () => void): Promise<void> {
  await waitForAbort(signal);
  await Promise.all([...workers.values()].map((worker) => worker.shutDown(SHUTDOWN_GRACE_MS)));
  close();
}
