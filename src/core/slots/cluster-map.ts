import type { SlotRange } from "../base/slot-range.ts";

/** A node of a database whose endpoint takes clients. */
export interface ClusterPlace {
  /** Its uid. */
  readonly node: number;
  /** Where clients reach the endpoint. */
  readonly host: string;
}

/** What the map of a database follows from. */
export interface MapFacts {
  readonly bdb: number;
  /** The node whose endpoint is asked. */
  readonly own: ClusterPlace;
  /** The one that the map names, the same at each node. */
  readonly port: number;
  /** The port speaks TLS. */
  readonly speaksTls: boolean;
  readonly places: readonly ClusterPlace[];
  /** The slots of each shard, and the address of the node of its primary; undefined while none has been known. */
  readonly shards: readonly { readonly slots: readonly SlotRange[]; readonly host: string | undefined }[];
}

/** A node as clients of a cluster see it: a primary with the slots that it serves, or a replica of another one. */
export interface ClusterMember extends ClusterPlace {
  /** 40 hexadecimal digits, which follow from the database and the node alone. */
  readonly id: string;
  /** The same of the primary and its replicas together. */
  readonly group: string;
  readonly port: number;
  /** In their order, as few ranges as there can be; empty for a replica. */
  readonly slots: readonly SlotRange[];
  /** The id of its primary; undefined for a primary. */
  readonly replicaOf: string | undefined;
}

/** Which node serves which slots of a database, for clients of a cluster. */
export interface ClusterMap {
  /** The node whose endpoint is asked; one of the members. */
  readonly own: ClusterMember;
  /** The ports of all speak TLS. */
  readonly speaksTls: boolean;
  /** Primaries first, each followed by its replicas. */
  readonly members: readonly ClusterMember[];
}

/**
 * The map of a database: the slots of a shard are served by the endpoint at the node of its primary, or by another one while that takes no clients. A node without a
 * primary is a replica of one that has some, since each endpoint forwards requests of any slot.
 */
export function clusterMap({ bdb, own, port, speaksTls, places, shards }: MapFacts): ClusterMap {
  const others = places.filter(({ node }) => node !== own.node);
  const known = [...others, own].toSorted((one, other) => one.node - other.node);
  const open = places.length === 0 ? [own] : places;
  const serving = shards.map(({ host }, at) => servingPlace(open, host, at)?.node);
  const slotsAt = ({ node }: ClusterPlace): readonly SlotRange[] =>
    joinRanges(shards.flatMap(({ slots }, at) => (serving[at] === node ? slots : [])));
  const all = known.map((place) => ({ ...place, id: idOf(bdb, place.node), port, slots: slotsAt(place) }));
  const primaries = all.filter(({ slots }) => slots.length > 0);
  const replicas = all.filter(({ slots }) => slots.length === 0);
  const members = primaries.flatMap((primary, at): readonly ClusterMember[] => {
    const group = groupOf(primary.id);
    const followers = replicas.filter((_, place) => place % primaries.length === at);
    return [
      { ...primary, group, replicaOf: undefined },
      ...followers.map((replica) => ({ ...replica, group, replicaOf: primary.id })),
    ];
  });
  const asked = members.find(({ node }) => node === own.node);
  if (asked === undefined) throw new Error("a database has no slots");
  return { own: asked, speaksTls, members };
}

/** The primary that serves a slot. */
export function memberOfSlot({ members }: ClusterMap, slot: number): ClusterMember {
  const found = members.find(({ slots }) => slots.some(({ from, to }) => from <= slot && slot <= to));
  if (found === undefined) throw new Error(`slot ${slot} has no member`);
  return found;
}

/** Slots that another node serves by the second map than by the first. */
export interface SlotMove {
  readonly from: ClusterMember;
  readonly to: ClusterMember;
  readonly slots: readonly SlotRange[];
}

/** What has moved from one map to another. */
export function movesBetween(before: ClusterMap, after: ClusterMap): readonly SlotMove[] {
  const pairs = before.members.flatMap((from) => after.members.map((to) => ({ from, to })));
  return pairs
    .filter(({ from, to }) => from.node !== to.node)
    .map(({ from, to }) => ({ from, to, slots: slotsOfBoth(from.slots, to.slots) }))
    .filter(({ slots }) => slots.length > 0);
}

function slotsOfBoth(some: readonly SlotRange[], others: readonly SlotRange[]): readonly SlotRange[] {
  const both = some.flatMap((one) =>
    others.map((other) => ({ from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) })),
  );
  return both.filter(({ from, to }) => from <= to);
}

/** The replicas of a primary, in the order of the map. */
export function followersOf({ members }: ClusterMap, { id }: ClusterMember): readonly ClusterMember[] {
  return members.filter(({ replicaOf }) => replicaOf === id);
}

function servingPlace(open: readonly ClusterPlace[], host: string | undefined, at: number): ClusterPlace | undefined {
  return open.find((place) => place.host === host) ?? open[at % open.length];
}

function joinRanges(ranges: readonly SlotRange[]): readonly SlotRange[] {
  const joined: SlotRange[] = [];
  for (const range of ranges.toSorted((one, other) => one.from - other.from)) {
    const last = joined.at(-1);
    if (last?.to === range.from - 1) joined[joined.length - 1] = { from: last.from, to: range.to };
    else joined.push(range);
  }
  return joined;
}

function idOf(bdb: number, node: number): string {
  return `${hexOf(bdb)}${hexOf(node)}`;
}

/** No id of a node begins with this digit. */
function groupOf(id: string): string {
  return `f${id.slice(1)}`;
}

function hexOf(uid: number): string {
  return uid.toString(16).padStart(HALF, "0");
}

const HALF = 20;
