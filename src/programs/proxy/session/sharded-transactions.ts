import type { PinnedRoute } from "../pinned/pinned-route.ts";
import { isUnlisted } from "../protocol/commands.ts";
import { slotsIn } from "../protocol/crossing.ts";
import { notWithShards, replies } from "../protocol/replies.ts";
import type { CommandClass, CommandEntry } from "../protocol/table/entry.ts";
import { hasArity } from "../protocol/table/has-arity.ts";
import { shardingOf } from "../protocol/table/sharding.ts";
import { slotOf } from "../../../core/slots/slot.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { shardOf } from "./split-by-shard.ts";
import { bringScript } from "./sharded-scripts.ts";
import { readsByPattern, type AloneSession } from "./sharded-commands.ts";
import { ShardedRoute } from "./sharded-route.ts";
import type { ShardWays } from "./shard-ways.ts";

/** The parts of a session that its transactions use. */
interface TransactionSession extends AloneSession {
  readonly pinned: Pick<PinnedRoute, "listeners" | "current" | "shard" | "slot" | "take" | "takeAt" | "moveTo">;
}

/** Takes MULTI, EXEC, DISCARD, WATCH or UNWATCH, outside MULTI; false when it cannot be sent now. */
export function takeTransaction(session: TransactionSession, request: Buffer, command: CommandEntry): boolean {
  const { shared, pinned } = session;
  const begins = command.name === "MULTI" || command.name === "WATCH";
  // without a pinned connection the client has no transaction to end: the engine gives the error
  if (pinned.current === undefined && !begins) return shared.forward(request);
  if (!(shared instanceof ShardedRoute)) return pinned.take(request, command);
  // only then it is known what the client watches
  if (session.work.hasPending) return false;
  if (command.name === "WATCH") return takeWatch(session, shared.ways, request, command);
  const isTaken = pinned.takeAt(pinned.shard ?? shared.ways.any, request, command);
  if (isTaken && command.name === "UNWATCH" && hasArity(command.name, requestArguments(request).length))
    pinned.slot = undefined;
  return isTaken;
}

/**
 * Takes a request inside MULTI; false when it cannot be sent now. Where there are several shards, its keys lie in the slot of those before it, and the
 * transaction goes to their shard with the first of them.
 */
export function takeQueued(session: TransactionSession, request: Buffer, command: CommandEntry, name: string): boolean {
  const { shared, pinned } = session;
  if (shared instanceof ShardedRoute) return queueAtShard(session, shared.ways, request, command, name);
  return pinned.current?.take(request, command) ?? false;
}

function queueAtShard(
  session: TransactionSession,
  ways: ShardWays,
  request: Buffer,
  command: CommandEntry,
  name: string,
): boolean {
  const { pinned } = session;
  const slots = slotsInside(command, name, request);
  const slot = pinned.slot ?? slots[0];
  const objection = isAvailableInside(command, name, request)
    ? refuseCrossing(slots, slot)
    : notWithShards(`${name} inside MULTI`);
  const shard = slot === undefined || objection !== undefined ? pinned.shard : shardOf(ways, slot);
  if (shard === undefined || !goesTo(session, ways, shard, name, request)) return false;
  const isTaken = pinned.takeAt(shard, request, command, objection);
  if (isTaken && objection === undefined && slots.length > 0) pinned.slot = slot;
  return isTaken;
}

/**
 * The slots that a queued request asks for. A WATCH that comes so late watches nothing, as the engine says. The channel of SPUBLISH counts as a key, as
 * it does in a cluster of engines: its subscribers listen at the shard of its slot alone.
 */
export function slotsInside(command: CommandEntry, name: string, request: Buffer): readonly number[] {
  if (command.commandClass === "transaction") return [];
  if (name !== "SPUBLISH") return slotsIn(name, request);
  return requestArguments(request)
    .slice(1, 2)
    .map((channel) => slotOf(channel));
}

function refuseCrossing(slots: readonly number[], slot: number | undefined): Buffer | undefined {
  return slots.some((other) => other !== slot) ? replies.crossSlot : undefined;
}

/** The transaction is at this shard with the script of the request, or now goes there; false while it cannot. */
function goesTo(
  { pinned, work, turns }: TransactionSession,
  ways: ShardWays,
  shard: number,
  name: string,
  request: Buffer,
): boolean {
  if (shard !== pinned.shard && work.hasPending) return false;
  const script = bringScript(ways, shard, name, request);
  if (script !== undefined) turns.waitFor(script);
  else if (shard !== pinned.shard) pinned.moveTo(shard);
  return script === undefined;
}

function takeWatch(
  { pinned, turns }: TransactionSession,
  ways: ShardWays,
  request: Buffer,
  command: CommandEntry,
): boolean {
  const slots = slotsIn(command.name, request);
  const slot = pinned.slot ?? slots[0];
  if (slots.some((other) => other !== slot)) return turns.answer(replies.crossSlot);
  // without a key the engine gives the error
  const shard = slot === undefined ? (pinned.shard ?? ways.any) : shardOf(ways, slot);
  const isTaken = pinned.takeAt(shard, request, command);
  if (isTaken && slots.length > 0) pinned.slot = slot;
  return isTaken;
}

/** A request can be queued where there are several shards, or the connection says why not. */
export function isAvailableInside(command: CommandEntry, name: string, request: Buffer): boolean {
  if (!FORWARDED.has(command.commandClass)) return !OF_ONE_SHARD.has(command.commandClass);
  return isUnlisted(name) || (AT_ONE_SHARD.has(shardingOf(name)) && !readsByPattern(name, request));
}

const FORWARDED: ReadonlySet<CommandClass> = new Set(["read", "write"]);
const AT_ONE_SHARD: ReadonlySet<ReturnType<typeof shardingOf>> = new Set([
  "slot",
  "sum",
  "list",
  "ok",
  "channel",
  "any",
]);
/** What cannot be answered for several shards yet, or is a view of all of them. */
const OF_ONE_SHARD: ReadonlySet<CommandClass> = new Set(["scripts", "kill", "wait", "scan"]);
