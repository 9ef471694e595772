import { assertNever } from "#kit/base/assert-never";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import type { SessionParts } from "../client/session-parts.ts";
import { slotOf } from "../../../core/slots/slot.ts";
import { crossesSlots, slotsIn } from "../protocol/crossing.ts";
import { mergeAt, mergeOks, mergeRandom, mergeSums } from "../protocol/merged-replies.ts";
import { mergeOf } from "../protocol/merge-of.ts";
import type { PinnedRoute } from "../pinned/pinned-route.ts";
import type { CommandEntry } from "../protocol/table/entry.ts";
import { notWithShards, replies } from "../protocol/replies.ts";
import { requestParts } from "../protocol/request-parts.ts";
import { shardingOf, type Sharding } from "../protocol/table/sharding.ts";
import type { RememberedScripts } from "../upstream/script-cache.ts";
import type { SessionEndpoint } from "./session-endpoint.ts";
import { ShardedRoute } from "./sharded-route.ts";
import { bringScript, effectOnScripts } from "./sharded-scripts.ts";
import type { SharedRoute } from "./shared-route.ts";
import type { MergeReplies, ShardPart, ShardWays } from "./shard-ways.ts";

/** The parts of a session that requests use which are simply forwarded. */
export interface ForwardingSession {
  readonly shared: SharedRoute | ShardedRoute;
  readonly endpoint: { readonly scripts: RememberedScripts };
  readonly turns: { answer(reply: Buffer): boolean };
}

/** The same of requests that take a connection of their own. */
export interface AloneSession extends ForwardingSession {
  readonly turns: Pick<SessionParts["turns"], "answer" | "waitFor">;
  readonly pinned: Pick<PinnedRoute, "shard" | "slot" | "take" | "takeAt">;
}

/** Sends a request that is simply forwarded to the only shard, or to those of its keys; false when it cannot be sent now. */
export function forwardPlain(session: ForwardingSession, request: Buffer, name: string): boolean {
  const { shared } = session;
  return shared instanceof ShardedRoute ? forwardSharded(session, shared.ways, request, name) : shared.forward(request);
}

/** Sends a request over a connection of its own, to the only shard or to that of its keys; false when it cannot be sent now. */
export function takeAlone(session: AloneSession, request: Buffer, command: CommandEntry): boolean {
  const { shared, pinned, turns } = session;
  if (!(shared instanceof ShardedRoute)) return pinned.take(request, command);
  const slots = slotsIn(command.name, request);
  const slot = pinned.slot ?? slots[0];
  // what the client watches stays where it is
  if (slots.some((other) => other !== slot)) return turns.answer(replies.crossSlot);
  // what needs no key goes to one and the same shard
  const shard = slot === undefined ? (pinned.shard ?? shardOf(shared.ways, 0)) : shardOf(shared.ways, slot);
  const script = bringScript(shared.ways, shard, command.name, request);
  if (script === undefined) return pinned.takeAt(shard, request, command);
  turns.waitFor(script);
  return false;
}

/** Counts a request that a database of several shards would refuse. */
export function noteCrossing(
  { table, counters }: Pick<SessionEndpoint, "table" | "counters">,
  name: string,
  request: Buffer,
): void {
  if (table === undefined && crossesSlots(name, request)) counters.noteCrossing(name);
}

function forwardSharded(session: ForwardingSession, ways: ShardWays, request: Buffer, name: string): boolean {
  if (readsByPattern(name, request)) return session.turns.answer(notWithShards(`${name} with a pattern of keys`));
  const sharding = shardingOf(name);
  switch (sharding) {
    case "slot":
      return forwardToSlot(session, ways, request, name);
    case "sum":
    case "list":
    case "ok":
      return forwardSplit(ways, request, name, sharding);
    case "every":
      return forwardToEvery(session, ways, request, name);
    case "channel":
      return ways.forward({ shard: shardOf(ways, slotOfChannel(request)), request });
    case "random":
      return forwardRandom(ways, request);
    case "any":
      return ways.forward({ shard: ways.any, request });
    case "none":
      return session.turns.answer(notWithShards(name));
    default:
      return assertNever(sharding);
  }
}

function forwardToSlot(session: ForwardingSession, ways: ShardWays, request: Buffer, name: string): boolean {
  const [slot, ...others] = slotsIn(name, request);
  // no engine finds keys in it: it gives the error
  const shard = slot === undefined ? ways.any : shardOf(ways, slot);
  if (others.some((other) => other !== slot)) return session.turns.answer(replies.crossSlot);
  return ways.forward({ shard, request });
}

function forwardSplit(ways: ShardWays, request: Buffer, name: string, sharding: Sharding): boolean {
  const args = requestArguments(request);
  const step = sharding === "ok" ? 2 : 1;
  const shards = slotsIn(name, request).map((slot) => shardOf(ways, slot));
  const [first = ways.any] = shards;
  // without a value for each key, an engine gives the error
  const isWhole = args.length === 1 + shards.length * step;
  if (!isWhole || shards.every((shard) => shard === first)) return ways.forward({ shard: first, request });
  const places = Map.groupBy(shards.keys(), (at) => shards[at] ?? first);
  const parts = [...places].map(([shard, keys]): ShardPart => {
    const own = keys.flatMap((at) => args.slice(1 + at * step, 1 + (at + 1) * step));
    return { shard, request: encodeCommand([name, ...own]) };
  });
  return ways.forwardParts(parts, mergeParts(sharding, [...places.values()], shards.length));
}

function mergeParts(sharding: Sharding, places: readonly (readonly number[])[], count: number): MergeReplies {
  if (sharding === "list") return mergeAt(places, count);
  return sharding === "ok" ? mergeOks : mergeSums;
}

function forwardToEvery(
  { endpoint: { scripts } }: ForwardingSession,
  ways: ShardWays,
  request: Buffer,
  name: string,
): boolean {
  const args = requestArguments(request);
  const merge = mergeOf(name, args, (sha) => scripts.knows(sha));
  const effect = effectOnScripts(scripts, name, args);
  return ways.forwardParts(
    ways.shards.map((shard) => ({ shard, request })),
    (replies) => {
      const reply = merge(replies);
      if (reply[0] !== MINUS) effect?.();
      return reply;
    },
  );
}

/** Each shard says how many keys it has, and names one. With further arguments, an engine gives the error. */
function forwardRandom(ways: ShardWays, request: Buffer): boolean {
  if (requestArguments(request).length > 1) return ways.forward({ shard: ways.any, request });
  const size = encodeCommand(["DBSIZE"]);
  const parts = ways.shards.flatMap((shard) => [size, request].map((part): ShardPart => ({ shard, request: part })));
  return ways.forwardParts(parts, mergeRandom(Math.random()));
}

/** The place of the shard that has the slot. */
export function shardOf({ table }: ShardWays, slot: number): number {
  return table[slot] ?? 0;
}

/** Without a channel, an engine gives the error. */
function slotOfChannel(request: Buffer): number {
  return slotOf(requestArguments(request)[1] ?? Buffer.alloc(0));
}

/**
 * SORT may take values of keys that the request does not name: an engine finds none of those that other shards have. A pattern without a star
 * names no key; it is looked for where it stands first.
 */
export function readsByPattern(name: string, request: Buffer): boolean {
  if (!name.startsWith("SORT")) return false;
  const words = requestArguments(request);
  const parts = requestParts(name, words);
  if (parts === undefined) return words.length > 2;
  const patterns = ["pattern", "by-pattern", "get-pattern"].flatMap((part) => parts.get(part) ?? []);
  return patterns.some((at) => at !== FIRST_OPTION || words[at]?.includes(STAR) === true);
}

const FIRST_OPTION = 3;
const [MINUS, STAR] = [45, 42];
