import { encodeCommand } from "../../../ports/resp/encode.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { slotsIn } from "../protocol/crossing.ts";
import { mergeAt, mergeOks, mergeSums } from "../protocol/merged-replies.ts";
import { shardingOf, type Sharding } from "../protocol/table/sharding.ts";
import type { MergeReplies, ShardPart, ShardWays } from "./shard-ways.ts";

/** A request as its shards get it, and what their replies become; there is one part when one shard has all its keys. */
export interface SplitRequest {
  readonly parts: readonly ShardPart[];
  readonly merge: MergeReplies;
}

/** The parts of a request about keys; undefined when its keys lie in several slots and may not, and when it is not about keys. */
export function splitByShard(ways: ShardWays, request: Buffer, name: string): SplitRequest | undefined {
  const sharding = shardingOf(name);
  if (sharding === "slot") return atOneSlot(ways, request, name);
  if (sharding !== "sum" && sharding !== "list" && sharding !== "ok") return undefined;
  const args = requestArguments(request);
  const step = sharding === "ok" ? 2 : 1;
  const shards = slotsIn(name, request).map((slot) => shardOf(ways, slot));
  const [first = ways.any] = shards;
  // without a value for each key, an engine gives the error
  const isWhole = args.length === 1 + shards.length * step;
  if (!isWhole || shards.every((shard) => shard === first)) return onePart(first, request);
  const places = Map.groupBy(shards.keys(), (at) => shards[at] ?? first);
  const parts = [...places].map(([shard, keys]): ShardPart => {
    const own = keys.flatMap((at) => args.slice(1 + at * step, 1 + (at + 1) * step));
    // as it was sent: a site tells UNLINK of a client from that of an engine by its letters
    return { shard, request: encodeCommand([args[0] ?? name, ...own]) };
  });
  return { parts, merge: mergeParts(sharding, [...places.values()], shards.length) };
}

/** The place of the shard of a slot. */
export function shardOf({ table }: Pick<ShardWays, "table">, slot: number): number {
  return table[slot] ?? 0;
}

function atOneSlot(ways: ShardWays, request: Buffer, name: string): SplitRequest | undefined {
  const [slot, ...others] = slotsIn(name, request);
  if (others.some((other) => other !== slot)) return undefined;
  // no engine finds keys in it: it gives the error
  return onePart(slot === undefined ? ways.any : shardOf(ways, slot), request);
}

function onePart(shard: number, request: Buffer): SplitRequest {
  return { parts: [{ shard, request }], merge: ([reply = Buffer.alloc(0)]) => reply };
}

function mergeParts(sharding: Sharding, places: readonly (readonly number[])[], count: number): MergeReplies {
  if (sharding === "list") return mergeAt(places, count);
  return sharding === "ok" ? mergeOks : mergeSums;
}
