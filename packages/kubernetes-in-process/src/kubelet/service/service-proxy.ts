import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Clock } from "../../../../controller-kit/src/base/clock.ts";
import type { Log } from "../../../../controller-kit/src/base/log.ts";
import { waitForAbort } from "../../../../controller-kit/src/base/wait-for-abort.ts";
import { EndpointSlices, Services } from "../../../../controller-kit/src/kube/builtin.ts";
import { startInformer } from "../../../../controller-kit/src/kube/informer.ts";
import type { Kube } from "../../../../controller-kit/src/kube/kube.ts";
import type { Forward } from "./forwarder.ts";
import { serviceTable } from "./service-table.ts";

/** What the service proxy runs with. */
export interface ServiceProxyOptions {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  /** Stops the proxy and cuts its connections. */
  readonly signal: AbortSignal;
}

/**
 * Serves the cluster IP of each Service by carrying new connections to its ready endpoints, in turn. Works in a thread of
 * its own, so that the API server's work in this one does not hold clients up. Resolves when it first serves.
 */
export async function runServiceProxy({
  kube,
  clock,
  log,
  signal,
}: ServiceProxyOptions): Promise<{ readonly stopped: Promise<void> }> {
  const worker = new Worker(join(import.meta.dirname, `forwarder-thread${extname(import.meta.filename)}`));
  worker.on("message", (line: string) => {
    log.warn("service proxy", { said: line });
  });
  const services = startInformer(kube, Services, { clock, log, signal });
  const slices = startInformer(kube, EndpointSlices, { clock, log, signal });
  await Promise.all([services.synced, slices.synced]);
  let applied = "";
  const tell = (): void => {
    const table: Forward[] = serviceTable(services.list(), slices.list());
    const text = JSON.stringify(table);
    if (text === applied || signal.aborted) return;
    applied = text;
    worker.postMessage(table);
  };
  services.onChange(tell);
  slices.onChange(tell);
  return { stopped: stopWith(signal, worker) };
}

async function stopWith(signal: AbortSignal, worker: Worker): Promise<void> {
  await waitForAbort(signal);
  await worker.terminate();
}
