import { memberOfSlot, type ClusterMap, type ClusterMember } from "../../../core/slots/cluster-map.ts";
import type { ClientIdentity } from "../client/identity.ts";
import { slotsIn } from "../protocol/crossing.ts";
import { errorReply } from "../protocol/replies.ts";
import { routeTo } from "../upstream/only-route.ts";
import type { SessionEndpoint } from "./session-endpoint.ts";

/** A client some of whose requests may be for another node. */
export interface MovedClient {
  readonly identity: Pick<ClientIdentity, "ofCluster">;
  readonly endpoint: Pick<SessionEndpoint, "counters" | "place" | "routes" | "table">;
  readonly pinned: { readonly current: unknown };
}

/** A client of an endpoint that has a place. */
export interface PlacedClient {
  readonly identity: MovedClient["identity"];
  readonly endpoint: Pick<SessionEndpoint, "place" | "routes">;
}

/** Whether requests for the shard at this place may be for another node: they are looked at one by one. */
export function mayBeMoved({ identity, endpoint }: PlacedClient, shard: number): boolean {
  return identity.ofCluster !== undefined && routeTo(endpoint, shard).upstream?.address.host !== endpoint.place.host;
}

/**
 * What a client of a cluster gets for a request for slots whose primary is at another node: MOVED, as engines say it. All requests of a pipeline but transactions get it, so that
 * none is executed before those in front of it. Undefined for what is forwarded: requests of all other clients, and those that wait for their shard, since the other node may not
 * know yet that it has the primary, and would send them back.
 */
export function redirectionOf(client: MovedClient, map: ClusterMap, name: string, request: Buffer): Buffer | undefined {
  const { identity, endpoint, pinned } = client;
  // a transaction is executed here, and what it rests on is watched here
  if (identity.ofCluster === undefined || pinned.current !== undefined || name === "WATCH") return undefined;
  const [slot, ...others] = slotsIn(name, request);
  if (slot === undefined || others.some((other) => other !== slot)) return undefined;
  const target = otherNodeOf(endpoint, map, slot);
  const mayRead = identity.ofCluster.readsReplicas && map.own.replicaOf === target?.id;
  if (target === undefined || mayRead) return undefined;
  endpoint.counters.ofCluster.moved++;
  return errorReply(`MOVED ${slot} ${target.host}:${target.port}`);
}

/** The node of the primary of a slot, unless that is this one, is not known for sure, or takes no clients: any other one serves in its place then. */
function otherNodeOf(endpoint: MovedClient["endpoint"], map: ClusterMap, slot: number): ClusterMember | undefined {
  const { held, upstream } = routeTo(endpoint, endpoint.table?.[slot] ?? 0);
  const member = memberOfSlot(map, slot);
  if (held || member.node === map.own.node) return undefined;
  return member.host === upstream?.address.host ? member : undefined;
}
