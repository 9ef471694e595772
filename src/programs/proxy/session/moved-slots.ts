import { hasLostSlots, memberOfSlot, type ClusterMap } from "../../../core/slots/cluster-map.ts";
import type { ClientIdentity } from "../client/identity.ts";
import { slotsIn } from "../protocol/crossing.ts";
import { errorReply } from "../protocol/replies.ts";
import type { SessionEndpoint } from "./session-endpoint.ts";

/** A client whose requests may be for another node by now. */
export interface MovedClient {
  readonly identity: Pick<ClientIdentity, "seenMap">;
  readonly endpoint: Pick<SessionEndpoint, "place">;
  readonly pinned: { readonly current: unknown };
}

/** True while the client has another map of the cluster than the one that holds: its requests are looked at one by one. */
export function mayBeMoved({ identity, endpoint }: Pick<MovedClient, "identity" | "endpoint">): boolean {
  return identity.seenMap !== undefined && identity.seenMap !== endpoint.place.map;
}

/**
 * What a client gets that asked over this connection for the map, and sends a request for slots that this node served by it and another node serves now: MOVED, as engines
 * say it, until it asks for the map again. All requests of a pipeline but transactions get it, so that none is executed before those in front of it. Undefined for what is forwarded:
 * the requests of all other clients.
 */
export function redirectionOf(client: MovedClient, map: ClusterMap, name: string, request: Buffer): Buffer | undefined {
  const { identity, pinned } = client;
  const seen = identity.seenMap;
  if (seen === undefined || seen === map) return undefined;
  if (!hasLostSlots(seen, map)) {
    identity.seenMap = map;
    return undefined;
  }
  // a transaction is executed here, and what it rests on is watched here
  if (pinned.current !== undefined || name === "WATCH") return undefined;
  const [slot, ...others] = slotsIn(name, request);
  if (slot === undefined || others.some((other) => other !== slot)) return undefined;
  const { node, host, port } = memberOfSlot(map, slot);
  const isMoved = memberOfSlot(seen, slot).node === seen.own.node && node !== map.own.node;
  return isMoved ? errorReply(`MOVED ${slot} ${host}:${port}`) : undefined;
}
