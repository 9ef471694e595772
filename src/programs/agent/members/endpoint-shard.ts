import type { ShardRecord } from "../../../core/api/records.ts";
import { primaryOf } from "../../../core/planner/database/facts.ts";
import type { UpstreamPlace } from "../../../core/planner/database/upstream.ts";
import type { EndpointShard, EnginePlace, SyncReplicas } from "../../../ports/management/proxy-control.ts";

/** The address of a node; undefined while it has never reported. */
export type AddressOf = (node: number) => string | undefined;

/** What an endpoint is made with besides its record. */
export interface EndpointMeans {
  readonly addressOf: AddressOf;
  /** What replies of the primary of a shard wait for; undefined: for nothing. */
  readonly syncOf: (shard: ShardRecord) => SyncReplicas | undefined;
}

/** The shard for the proxies; without a primary during the failover from one that is cut off, in the epoch that is about to begin. */
export function endpointShard(shard: ShardRecord, { addressOf, syncOf }: EndpointMeans): EndpointShard {
  const forced = shard.switchover?.forced === true;
  const primary = forced ? undefined : placeAt(primaryOf(shard), addressOf);
  const sync = syncOf(shard);
  return {
    id: shard.id,
    epoch: forced ? (shard.switchover?.epoch ?? shard.epoch) : shard.epoch,
    ...(shard.slots === undefined ? {} : { slots: shard.slots }),
    ...(sync === undefined ? {} : { sync }),
    ...(primary === undefined ? {} : { primary }),
  };
}

/** How others than its node reach what an instance follows; undefined while its node has no address. */
export function placeAt({ node, port, tls }: UpstreamPlace, addressOf: AddressOf): EnginePlace | undefined {
  const host = addressOf(node);
  return host === undefined ? undefined : { host, port, ...(tls === undefined ? {} : { tls }) };
}
