import { Fault } from "#kit/base/fault";
import type { EndpointConfig, EndpointShard } from "../../../ports/management/proxy-control.ts";
import { faults } from "../faults.ts";

/** The shard of a database with one shard: PROXY_UNKNOWN_SHARD for any other number, because requests are not routed by their keys. */
export function onlyShard({ bdb, shards }: EndpointConfig): EndpointShard {
  const [shard, ...others] = shards;
  if (shard !== undefined && others.length === 0) return shard;
  const message = `This proxy serves one shard of a database, and database ${bdb} has ${shards.length}.`;
  throw new Fault(faults.unknownShard, message, { bdb, shards: shards.length });
}

/** Clients are kept from the engine while what other sites hold is not here. */
export function isClosed({ site }: EndpointConfig): boolean {
  return site?.awaitsSites === true;
}
