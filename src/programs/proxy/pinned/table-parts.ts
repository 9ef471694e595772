import type { SlotTable } from "../../../core/slots/slot-table.ts";
import type { PinnedEndpoint, PinnedParts } from "./pinned-parts.ts";

/** The shards that serve a database, or are to serve it. */
export interface ServingShards {
  readonly routes: PinnedEndpoint["routes"];
  readonly table: SlotTable | undefined;
  readonly scans: PinnedEndpoint["scans"];
}

/** The parts of a session for connections to these shards, whether they serve already or not. */
export function partsAtTable(parts: PinnedParts, { routes, table, scans }: ServingShards): PinnedParts {
  const { identity, output, life, turns, work, pinned, invalidations, endpoint } = parts;
  const { clock, log, credentials, counters, scripts, memory } = endpoint;
  return {
    identity,
    output,
    life,
    turns,
    work,
    pinned,
    invalidations,
    endpoint: {
      clock,
      log,
      credentials,
      counters,
      scripts,
      memory,
      routes,
      table,
      scans,
      get isCluster() {
        return endpoint.isCluster;
      },
      get mayPin() {
        return endpoint.mayPin;
      },
    },
    get shared() {
      return parts.shared;
    },
  };
}
