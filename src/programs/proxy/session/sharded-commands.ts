import { assertNever } from "#kit/base/assert-never";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import type { ClientIdentity } from "../client/identity.ts";
import type { SessionParts } from "../client/session-parts.ts";
import { slotOf } from "../../../core/slots/slot.ts";
import { isUnlisted } from "../protocol/commands.ts";
import { crossesSlots, slotsIn } from "../protocol/crossing.ts";
import { mergeRandom } from "../protocol/merged-replies.ts";
import { mergeOf } from "../protocol/merge-of.ts";
import type { PinnedRoute } from "../pinned/pinned-route.ts";
import type { CommandEntry } from "../protocol/table/entry.ts";
import { notWithShards, replies } from "../protocol/replies.ts";
import { requestParts } from "../protocol/request-parts.ts";
import { shardingOf } from "../protocol/table/sharding.ts";
import type { RememberedScripts } from "../upstream/script-cache.ts";
import type { ReturningWork } from "./give-back.ts";
import { takeTracked } from "./tracked-reads.ts";
import type { SessionEndpoint } from "./session-endpoint.ts";
import { shardsAsked } from "./shards-of-node.ts";
import { ShardedRoute } from "./sharded-route.ts";
import { bringScript, effectOnScripts } from "./sharded-scripts.ts";
import type { SharedRoute } from "./shared-route.ts";
import type { ShardPart, ShardWays } from "./shard-ways.ts";
import { shardOf, splitByShard } from "./split-by-shard.ts";

/** The parts of a session that requests use which are simply forwarded. */
export interface ForwardingSession {
  readonly pinned: Pick<PinnedRoute, "listeners">;
  readonly work: ReturningWork;
  readonly shared: SharedRoute | ShardedRoute;
  readonly identity: ClientIdentity;
  readonly endpoint: { readonly scripts: RememberedScripts } & Pick<SessionEndpoint, "place">;
  readonly turns: Pick<SessionParts["turns"], "answer" | "waitFor">;
}

/** The same of requests that take a connection of their own. */
export interface AloneSession extends ForwardingSession {
  readonly pinned: Pick<PinnedRoute, "listeners" | "shard" | "slot" | "take" | "takeAt">;
}

/** Sends a request that is simply forwarded to the only shard, or to those of its keys; false when it cannot be sent now. */
export function forwardPlain(session: ForwardingSession, request: Buffer, name: string): boolean {
  const { shared } = session;
  if (!(shared instanceof ShardedRoute)) return shared.forward(request);
  return takeTracked(session, shared.ways, request, name) ?? forwardSharded(session, shared.ways, request, name);
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
    case "sum":
    case "list":
    case "ok":
      return forwardByKeys(session, ways, request, name);
    case "every":
      return forwardToEvery(session, ways, request, name);
    case "channel":
      return ways.forward({ shard: shardOf(ways, slotOfChannel(request)), request });
    case "random":
      return forwardRandom(ways, request);
    case "any":
      return ways.forward({ shard: ways.any, request });
    case "none":
      // no engine knows such a name: one of them says so
      return isUnlisted(name) ? ways.forward({ shard: ways.any, request }) : session.turns.answer(notWithShards(name));
    default:
      return assertNever(sharding);
  }
}

function forwardByKeys(session: ForwardingSession, ways: ShardWays, request: Buffer, name: string): boolean {
  const split = splitByShard(ways, request, name);
  if (split === undefined) return session.turns.answer(replies.crossSlot);
  const [first] = split.parts;
  return split.parts.length === 1 && first !== undefined
    ? ways.forward(first)
    : ways.forwardParts(split.parts, split.merge);
}

function forwardToEvery(session: ForwardingSession, ways: ShardWays, request: Buffer, name: string): boolean {
  const { scripts } = session.endpoint;
  const args = requestArguments(request);
  const merge = mergeOf(name, args, (sha) => scripts.knows(sha));
  const effect = effectOnScripts(scripts, name, args);
  return ways.forwardParts(
    shardsAsked(session, ways, name).map((shard) => ({ shard, request })),
    (replies) => {
      const reply = merge(replies);
      if (reply[0] !== MINUS) effect?.();
      return reply;
    },
    request,
  );
}

/** Each shard says how many keys it has, and names one. With further arguments, an engine gives the error. */
function forwardRandom(ways: ShardWays, request: Buffer): boolean {
  if (requestArguments(request).length > 1) return ways.forward({ shard: ways.any, request });
  const size = encodeCommand(["DBSIZE"]);
  const parts = ways.shards.flatMap((shard) => [size, request].map((part): ShardPart => ({ shard, request: part })));
  return ways.forwardParts(parts, mergeRandom(Math.random()), request);
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
