import { ENDPOINT_PORTS, SHARD_PORTS } from "../../api/names.ts";
import type { StoreVersion } from "../../api/records.ts";
import type { NodeFacts, PlacedInstance } from "./facts.ts";

export interface PlacementRequest {
  readonly nodes: readonly NodeFacts[];
  readonly everything: readonly PlacedInstance[];
  readonly storeVersion: StoreVersion;
  readonly memoryBytes: number;
  /** Nodes that already hold an instance of the same shard. */
  readonly avoid: readonly number[];
  readonly role: "primary" | "replica";
  /**
   * Ports are tried from here on, counted from the first shard port: with another one for each instance, a new one never
   * gets the port of one that is still being stopped.
   */
  readonly portOffset: number;
}

export type Placement =
  | { readonly node: number; readonly port: number }
  /** Nothing fits; a sentence that says why, node by node. */
  | { readonly refusal: string };

/**
 * The node for a new instance: alive, not draining, with the engine and the memory, holding none of the same shard; of
 * those the one with the fewest primaries (for a primary), then the fewest instances, then the lowest uid.
 */
export function placeInstance(request: PlacementRequest): Placement {
  const reasons = request.nodes.map((node) => ({ node, why: whyNot(node, request) }));
  const fit = reasons.filter(({ why }) => why === undefined).map(({ node }) => node);
  const best = fit.toSorted((a, b) => weight(a, request) - weight(b, request) || a.uid - b.uid)[0];
  if (best === undefined) {
    const each = reasons.map(({ node, why }) => `node ${node.uid} ${why ?? ""}`).join(", ");
    return { refusal: `no node can take a ${request.storeVersion} ${request.role}: ${each || "no node is known"}` };
  }
  const port = freePort(SHARD_PORTS, portsOn(best.uid, request.everything), request.portOffset);
  return port === undefined ? { refusal: `every shard port of node ${best.uid} is taken` } : { node: best.uid, port };
}

/** The lowest endpoint port that no database has; undefined when all are taken. */
export function freeEndpointPort(taken: readonly number[]): number | undefined {
  return freePort(ENDPOINT_PORTS, taken);
}

function whyNot(node: NodeFacts, request: PlacementRequest): string | undefined {
  if (!node.alive) return "is down";
  if (node.draining) return "is in maintenance or does not reach the Kubernetes API";
  if (request.avoid.includes(node.uid)) return "already holds an instance of it";
  if (!node.engines.includes(request.storeVersion)) return `has no ${request.storeVersion} engine`;
  const free = node.memoryBytes - usedOn(node.uid, request.everything);
  if (free < request.memoryBytes) return `has ${mebibytes(free)} of the ${mebibytes(request.memoryBytes)} it needs`;
  return undefined;
}

function weight(node: NodeFacts, { everything, role }: PlacementRequest): number {
  const here = everything.filter((instance) => instance.node === node.uid);
  const primaries = role === "primary" ? here.filter(({ primary }) => primary).length : 0;
  return primaries * 10_000 + here.length;
}

function usedOn(node: number, everything: readonly PlacedInstance[]): number {
  return everything.filter((instance) => instance.node === node).reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
}

function portsOn(node: number, everything: readonly PlacedInstance[]): readonly number[] {
  return everything.filter((instance) => instance.node === node).map(({ port }) => port);
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

function mebibytes(bytes: number): string {
  return `${Math.max(0, Math.floor(bytes / 1_048_576))} MiB`;
}
