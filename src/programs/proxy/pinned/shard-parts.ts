import { routeTo } from "../upstream/only-route.ts";
import type { PinnedEndpoint, PinnedParts } from "./pinned-parts.ts";

/** The parts of a session for a connection to the shard at the place that `shard` names when it is asked: the endpoint as if it had no other. */
export function partsAtShard(parts: PinnedParts, shard: () => number): PinnedParts {
  const { identity, output, life, turns, work, pinned, invalidations } = parts;
  return {
    identity,
    output,
    life,
    turns,
    work,
    pinned,
    invalidations,
    endpoint: endpointAtShard(parts.endpoint, shard),
    // another one when other shards serve
    get shared() {
      return parts.shared;
    },
  };
}

function endpointAtShard(endpoint: PinnedEndpoint, shard: () => number): PinnedEndpoint {
  const { clock, log, credentials, counters, scripts, memory } = endpoint;
  return {
    clock,
    log,
    credentials,
    counters,
    scripts,
    memory,
    table: undefined,
    get routes(): PinnedEndpoint["routes"] {
      return [routeTo(endpoint, shard())];
    },
    get scans(): PinnedEndpoint["scans"] {
      return [endpoint.scans[shard()] ?? endpoint.scans[0]];
    },
    get isCluster() {
      return endpoint.isCluster;
    },
    get mayPin() {
      return endpoint.mayPin;
    },
  };
}
