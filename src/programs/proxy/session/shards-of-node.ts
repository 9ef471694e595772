import { memberOfSlot, type ClusterMap } from "../../../core/slots/cluster-map.ts";
import type { SlotTable } from "../../../core/slots/slot-table.ts";
import type { ClientIdentity } from "../client/identity.ts";
import type { SessionEndpoint } from "./session-endpoint.ts";

/** A client of several shards. */
interface ShardedClient {
  readonly identity: Pick<ClientIdentity, "ofCluster">;
  readonly endpoint: Pick<SessionEndpoint, "place">;
}

/**
 * The places of the shards that a request about all keys is about: all of them, but for a client of a cluster that asks for what a node has. Those are the shards whose slots the
 * node serves by the map, so that a client which asks each primary finds each key once; of a replica, those of its primary.
 */
export function shardsAsked(
  { identity, endpoint }: ShardedClient,
  { shards, table }: { readonly shards: readonly number[]; readonly table: SlotTable },
  name: string,
): readonly number[] {
  const { map } = endpoint.place;
  if (identity.ofCluster === undefined || map === undefined || !OF_NODE.has(name)) return shards;
  return shardsServed(map, table);
}

/** What engines of a cluster answer for their own keys, and libraries ask each primary for. */
const OF_NODE: ReadonlySet<string> = new Set(["DBSIZE", "KEYS"]);

function shardsServed(map: ClusterMap, table: SlotTable): readonly number[] {
  const { own } = map;
  const asked = own.replicaOf ?? own.id;
  const shards = new Set<number>();
  let before: number | undefined;
  for (let slot = 0; slot < table.length; slot++) {
    const shard = table[slot];
    if (shard === undefined || shard === before) continue;
    before = shard;
    if (memberOfSlot(map, slot).id === asked) shards.add(shard);
  }
  return [...shards];
}
