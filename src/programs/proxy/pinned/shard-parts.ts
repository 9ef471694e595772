import type { SlotTable } from "../../../core/slots/slot-table.ts";
import { routeTo } from "../upstream/only-route.ts";
import type { PinnedEndpoint, PinnedParts } from "./pinned-parts.ts";

/** The shards that serve a database, or are to serve it. */
export interface ServingShards {
  readonly routes: PinnedEndpoint["routes"];
  readonly table: SlotTable | undefined;
  readonly scans: PinnedEndpoint["scans"];
}

/** The parts of a session for a connection to the shard at the place that `shard` names when it is asked: the endpoint as if it had no other. */
export function partsAtShard(parts: PinnedParts, shard: () => number): PinnedParts {
  const { endpoint } = parts;
  return partsAtTable(parts, {
    table: undefined,
    get routes(): PinnedEndpoint["routes"] {
      return [routeTo(endpoint, shard())];
    },
    get scans(): PinnedEndpoint["scans"] {
      return [endpoint.scans[shard()] ?? endpoint.scans[0]];
    },
  });
}

/** The parts of a session for connections to these shards, whether they serve already or not. */
export function partsAtTable(parts: PinnedParts, shards: ServingShards): PinnedParts {
  const { identity, output, life, turns, work, pinned, invalidations, endpoint } = parts;
  return {
    identity,
    output,
    life,
    turns,
    work,
    pinned,
    invalidations,
    endpoint: endpointAt(endpoint, shards),
    // another one when other shards serve
    get shared() {
      return parts.shared;
    },
  };
}

function endpointAt(endpoint: PinnedEndpoint, shards: ServingShards): PinnedEndpoint {
  const { clock, log, credentials, counters, scripts, memory } = endpoint;
  return {
    clock,
    log,
    credentials,
    counters,
    scripts,
    memory,
    get routes() {
      return shards.routes;
    },
    get table() {
      return shards.table;
    },
    get scans() {
      return shards.scans;
    },
    get isCluster() {
      return endpoint.isCluster;
    },
    get mayPin() {
      return endpoint.mayPin;
    },
  };
}
