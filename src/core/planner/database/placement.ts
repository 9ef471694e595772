import { needText, roomText, unitOf } from "#kit/base/sizes";
import { ENDPOINT_PORTS, SHARD_PORTS } from "../../api/names.ts";
import type { StoreVersion } from "../../api/records.ts";
import type { SettingValues } from "../../api/settings/types.ts";
import { freeBytes, largestDatabase, restingBytes } from "../node/capacity.ts";
import { pause, type FindingOf } from "../findings/finding.ts";
import type { NodeFacts, PlacedInstance } from "./facts.ts";

/**
 * How much room a node must have. `growth`: for all that its databases may ever take, for an instance that is new. `resting`: for its databases
 * while no fork runs. `machine`: for their data in the memory of its machine, the only rule of releases before 0.4.0.
 */
export type RoomRule = "growth" | "resting" | "machine";

export interface PlacementRequest {
  readonly nodes: readonly NodeFacts[];
  readonly everything: readonly PlacedInstance[];
  readonly storeVersion: StoreVersion;
  /** Its engine has to speak TLS. */
  readonly tls: boolean;
  readonly memoryBytes: number;
  /** What the instance may take of the node's volume. */
  readonly diskBytes: number;
  readonly room: RoomRule;
  /** Nodes that already hold an instance of the same shard. */
  readonly avoid: readonly number[];
  readonly role: "primary" | "replica";
  /** The instances of the other shards of its database. */
  readonly ofOtherShards: readonly PlacedInstance[];
  readonly shardsPlacement: SettingValues["shardsPlacement"];
  /**
   * Ports are tried from here on, counted from the first shard port: with another one for each instance, a new one never
   * gets the port of one that is still being stopped.
   */
  readonly portOffset: number;
}

export type Placement = { readonly node: number; readonly port: number } | NoPlace;

/** Nothing fits: why, node by node. It ends when a node has room. */
export type NoPlace = FindingOf<"NoPlace">;

/** That nothing fits, with the reason. */
export function noPlace(why: string): NoPlace {
  return pause("NoPlace", why);
}

/**
 * The node for a new instance: alive, not draining, with the engine and the room, holding none of the same shard; of
 * those the one with the fewest primaries (for a primary), then the fewest instances, of its own database and then of all, then the lowest uid.
 * A dense database has them where most of its instances of that role are already.
 */
export function placeInstance(request: PlacementRequest): Placement {
  // a database may have a thousand instances, and each pass of the leader may look for a place for each of its shards
  const held = Map.groupBy(request.everything, ({ node }) => node);
  const reasons = request.nodes.map((node) => ({
    node,
    why: whyNot(node, { ...request, everything: held.get(node.uid) ?? [] }),
  }));
  const fit = reasons.filter(({ why }) => why === undefined).map(({ node }) => node);
  const best = bestOf(fit, request, held);
  if (best === undefined) {
    const each = reasons.map(({ node, why }) => `node ${node.uid} ${why ?? ""}`).join(", ");
    return noPlace(`no node can take a ${request.storeVersion} ${request.role}: ${each || "no node is known"}`);
  }
  const port = freePort(
    SHARD_PORTS,
    (held.get(best.uid) ?? []).map((instance) => instance.port),
    request.portOffset,
  );
  return port === undefined ? noPlace(`every shard port of node ${best.uid} is taken`) : { node: best.uid, port };
}

type HeldByNode = ReadonlyMap<number, readonly PlacedInstance[]>;

/**
 * By what the nodes hold of the other shards, then of all; else round and round: the last of several shards would find its replicas where those before
 * it have put theirs.
 */
function bestOf(fit: readonly NodeFacts[], request: PlacementRequest, held: HeldByNode): NodeFacts | undefined {
  const { ofOtherShards, role, avoid } = request;
  const own = Map.groupBy(ofOtherShards, ({ node }) => node);
  const behind = ofOtherShards.length === 0 ? 0 : Math.max(0, ...avoid);
  const weighed = fit.map((node) => ({
    node,
    order: [
      weightOfOwn(own.get(node.uid) ?? [], request),
      weight(held.get(node.uid) ?? [], role),
      node.uid > behind ? 0 : 1,
      node.uid,
    ],
  }));
  return weighed.toSorted((one, other) => compareAll(one.order, other.order))[0]?.node;
}

function compareAll(one: readonly number[], other: readonly number[]): number {
  return one.map((value, at) => value - (other[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/** The fewest where the database is sparse, the most of the same role where it is dense. */
function weightOfOwn(here: readonly PlacedInstance[], { role, shardsPlacement }: PlacementRequest): number {
  if (shardsPlacement === "sparse") return weight(here, role);
  return -here.filter(({ primary }) => primary === (role === "primary")).length;
}

/** The node for a copy of an instance that runs already, by the first of `rules` that finds one; else why the last one finds none. */
export function placeKept(request: Omit<PlacementRequest, "room">, rules: readonly RoomRule[]): Placement {
  let placed: Placement = noPlace("no rule of room is given");
  for (const room of rules) {
    placed = placeInstance({ ...request, room });
    if (!("id" in placed)) return placed;
  }
  return placed;
}

/** The size in bytes of the largest database of which a node takes this many more instances. */
export function largestOn(
  node: Pick<NodeFacts, "uid" | "memoryBytes" | "container">,
  everything: readonly PlacedInstance[],
  count = 1,
): number {
  const sizes = sizesOn(node.uid, everything);
  if (node.container !== undefined) return largestDatabase(freeBytes(node.container, sizes) / count);
  return Math.max(0, (node.memoryBytes - sum(sizes)) / count);
}

/** The lowest endpoint port that no database has; undefined when all are taken. */
export function freeEndpointPort(taken: readonly number[]): number | undefined {
  return freePort(ENDPOINT_PORTS, taken);
}

/** The highest one: those that users choose are rather low. */
export function freeClusterPort(taken: readonly number[]): number | undefined {
  const { first, last } = ENDPOINT_PORTS;
  const found = freePort(
    { first: 0, last: last - first },
    taken.map((port) => last - port),
  );
  return found === undefined ? undefined : last - found;
}

function whyNot(node: NodeFacts, request: PlacementRequest): string | undefined {
  if (!node.alive) return "is down";
  if (node.draining) return "is in maintenance or does not reach the Kubernetes API";
  if (request.avoid.includes(node.uid)) return "already holds an instance of it";
  if (!node.engines.includes(request.storeVersion)) return `has no ${request.storeVersion} engine`;
  if (request.tls && !node.tlsEngines.includes(request.storeVersion))
    return `has a ${request.storeVersion} engine that speaks no TLS`;
  return noRoom(node, request);
}

function noRoom(node: NodeFacts, request: PlacementRequest): string | undefined {
  const { memoryBytes, everything, room } = request;
  const sizes = sizesOn(node.uid, everything);
  const unit = unitOf(memoryBytes);
  if (room === "machine" || node.container === undefined) {
    const free = node.memoryBytes - sum(sizes);
    return free < memoryBytes
      ? `has ${roomText(free, unit)} of the ${needText(memoryBytes, unit)} it needs`
      : undefined;
  }
  if (room === "resting") {
    const free = freeBytes(node.container, sizes, restingBytes);
    const needs = restingBytes(memoryBytes);
    return free < needs ? `has ${roomText(free, unit)} of the ${needText(needs, unit)} it needs at rest` : undefined;
  }
  if (freeBytes(node.container, [...sizes, memoryBytes]) >= 0) return noDisk(node, request);
  const most = roomText(largestOn(node, everything), unit);
  return `has room for a database of ${most}, and this one has ${needText(memoryBytes, unit)}`;
}

function weight(here: readonly PlacedInstance[], role: PlacementRequest["role"]): number {
  const primaries = role === "primary" ? here.filter(({ primary }) => primary).length : 0;
  return primaries * 10_000 + here.length;
}

/** Why the volume of a node has no room. Only what is new or grows needs room: existing instances stay where they are. */
function noDisk({ uid, volumeRoom }: NodeFacts, { everything, diskBytes }: PlacementRequest): string | undefined {
  const free = freeOnVolume({ uid, volumeRoom }, everything);
  return free < diskBytes ? `has ${roomText(free)} left of its volume, of ${needText(diskBytes)} for it` : undefined;
}

/** Bytes of the volume of a node that no instance may come to need; Infinity where the node does not say. */
export function freeOnVolume(
  { uid, volumeRoom = Number.POSITIVE_INFINITY }: { readonly uid: number; readonly volumeRoom: number | undefined },
  everything: readonly PlacedInstance[],
): number {
  return volumeRoom - sum(everything.filter(({ node }) => node === uid).map(({ diskBytes }) => diskBytes));
}

/** What the databases of each instance on a node may use, in bytes. */
export function sizesOn(node: number, everything: readonly PlacedInstance[]): readonly number[] {
  return everything.filter((instance) => instance.node === node).map(({ memoryBytes }) => memoryBytes);
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((all, size) => all + size, 0);
}

/** So many free ports of engines on a node, from an offset on; undefined when it has too few. */
export function freeShardPorts(
  node: number,
  everything: readonly PlacedInstance[],
  count: number,
  offset: number,
): readonly number[] | undefined {
  const taken = everything.filter((one) => one.node === node).map(({ port }) => port);
  const found: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const port = freePort(SHARD_PORTS, [...taken, ...found], offset + at);
    if (port === undefined) return undefined;
    found.push(port);
  }
  return found;
}

function freePort(
  { first, last }: { readonly first: number; readonly last: number },
  taken: readonly number[],
  offset = 0,
): number | undefined {
  const set = new Set(taken);
  const size = last - first + 1;
  for (let step = 0; step < size; step += 1) {
    const port = first + ((offset + step) % size);
    if (!set.has(port)) return port;
  }
  return undefined;
}

/** Where the search for the port of an instance begins. */
export function portOffsetOf(bdb: number, instance: number): number {
  return (bdb - 1) * 10 + instance;
}
