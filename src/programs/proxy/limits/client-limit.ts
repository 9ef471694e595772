import type { EndpointConfig } from "../../../ports/management/proxy-control.ts";
import { shareOfWorker, type WorkerNumber } from "./proxy-worker.ts";
import { LIMITS } from "./limits.ts";

/** The most clients that an endpoint has at this node. A lower limit than before closes no connection. */
export function clientLimit({ settings: { maxClients } }: Pick<EndpointConfig, "settings">): number {
  return maxClients === 0 ? LIMITS.clients : Math.min(maxClients, LIMITS.clients);
}

/**
 * And at this worker; 0: it accepts none. One worker alone accepts the clients of a database with a limit of its own: shared among
 * several, one would refuse clients while another one has room, or they would have to ask each other about each client.
 */
export function workerClientLimit(config: Pick<EndpointConfig, "bdb" | "settings">, worker: WorkerNumber): number {
  if (config.settings.maxClients === 0) return shareOfWorker(LIMITS.clients, worker);
  return config.bdb % worker.of === worker.number - 1 ? clientLimit(config) : 0;
}
