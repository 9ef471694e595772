import type { EndpointStats } from "../../../ports/management/proxy-control.ts";
import { OF_SUCCESSORS, sumOfStats } from "./endpoint-sums.ts";

/** Keeps the last counts of the earlier processes of a worker, so that sums do not fall when a process ends. */
export class EarlierCounts {
  #ended: readonly EndpointStats[] = [];
  #latest: readonly EndpointStats[] = [];

  /** Adds the counts of a process that has ended, or was followed by another one. */
  next(): void {
    this.#ended = sumOfStats([...this.#ended, ...this.#latest.map(countsOnly)], OF_SUCCESSORS);
    this.#latest = [];
  }

  /** The counts of all processes together, with the present state as the running process reports it. */
  with(latest: readonly EndpointStats[]): readonly EndpointStats[] {
    this.#latest = latest;
    return sumOfStats([...latest, ...this.#ended], OF_SUCCESSORS);
  }

  /** Forgets all other endpoints: they have been closed. */
  keep(endpoints: readonly { readonly bdb: number }[]): void {
    const kept = new Set(endpoints.map(({ bdb }) => bdb));
    this.#ended = this.#ended.filter(({ bdb }) => kept.has(bdb));
  }
}

/** The epoch of an endpoint that no process has now; above all others, so that another worker's is the epoch of both. */
export const NOT_SERVED = Number.MAX_SAFE_INTEGER;

/** The counts of a process that has ended, without its state. */
function countsOnly({ bdb, requests, cut, holdsExpired, resent, counted }: EndpointStats): EndpointStats {
  return {
    bdb,
    requests,
    cut,
    holdsExpired,
    resent,
    epoch: NOT_SERVED,
    listening: false,
    held: false,
    clients: 0,
    inFlight: 0,
    ...(counted === undefined ? {} : { counted: { ...counted, pins: 0 } }),
  };
}
