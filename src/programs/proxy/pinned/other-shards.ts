import { replies } from "../protocol/replies.ts";
import { keepListening, type KeptListening } from "./kept-listening.ts";
import type { PendingKind, PendingRequest } from "./pending-request.ts";
import type { PendingQueue } from "./pending-queue.ts";
import type { ConnectionState } from "./connection-state.ts";
import type { PinnedCommands } from "./pinned-commands.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";

/** Where a connection of its own goes on, now that other shards have the slots of the database. */
export interface OtherShards {
  /** These requests were not executed, and go on as any of the client. */
  give(refused: readonly PendingRequest[]): void;
  /** What the client is sent unasked comes from there. */
  listen(kept: KeptListening): void;
  /** The connection goes on with its transaction at the shard that has the keys of these requests; false: no shard has all of them. */
  place(requests: readonly Buffer[]): boolean;
}

/** What a connection keeps, and its requests that were not executed; nothing is at its engine. */
export interface KeptAtConnection {
  readonly state: ConnectionState;
  readonly pending: PendingQueue;
  readonly commands: PinnedCommands;
}

/**
 * Takes a connection that is at no engine to other shards. True: it goes on with what it keeps. False: it keeps nothing. Undefined: no shard can
 * execute what was not executed, in its order.
 */
export function goToShards(others: OtherShards, kept: KeptAtConnection): boolean | undefined {
  giveListening(others, kept.state);
  const refused = kept.pending.takeRefused();
  const end = endOfOwn(kept, refused);
  if (end === undefined || !refused.slice(end).every(isAsSent)) return undefined;
  others.give(refused.slice(end));
  return end > 0 || keepsState(kept) ? placeOwn(others, kept, refused.slice(0, end)) : false;
}

/** What the client is sent unasked comes from the other shards from now on. */
function giveListening(others: OtherShards, state: ConnectionState): void {
  const { subscriptions, tracking, monitoring: isMonitoring } = state;
  if (subscriptions.size === 0 && !tracking.isOn && !isMonitoring) return;
  others.listen(keepListening({ subscriptions, tracking, isMonitoring }));
  subscriptions.clear();
  tracking.clear();
  state.monitoring = false;
}

/** The transaction goes to one shard, and fails when none has all of its keys. */
function placeOwn(
  others: OtherShards,
  { state, pending, commands }: KeptAtConnection,
  own: readonly PendingRequest[],
): true | undefined {
  const isWhole = others.place([...(state.queuedRequests ?? []), ...own.map(({ request }) => request)]);
  if (!isWhole && own.some(({ kind }) => !OF_TRANSACTION.has(kind))) return undefined;
  if (!isWhole) commands.failTransaction();
  for (const one of own) pending.refuse(isWhole ? one : letFail(one));
  return true;
}

function letFail(request: PendingRequest): PendingRequest {
  return request.kind === "exec" ? { ...request, request: DISCARD, substitute: replies.transactionAborted } : request;
}

function keepsState({ state, commands }: KeptAtConnection): boolean {
  return state.needsPin || commands.inTransaction;
}

/** How many of the requests belong to what the connection keeps: up to the end of its transaction. Undefined: another transaction is open behind it. */
function endOfOwn(kept: KeptAtConnection, refused: readonly PendingRequest[]): number | undefined {
  if (!keepsState(kept) && !refused.some(({ kind }) => OF_IDENTITY.has(kind))) return 0;
  const end = refused.findIndex(({ kind }) => ENDING.has(kind)) + 1;
  if (kept.commands.inTransaction) return end === 0 ? refused.length : undefined;
  return end === 0 ? refused.length : end;
}

/** The client can be taken to have sent it now: nothing else stands for it at the engine. */
function isAsSent({ special, substitute }: PendingRequest): boolean {
  return substitute === undefined && (special === undefined || special.size === 0);
}

const OF_TRANSACTION: ReadonlySet<PendingKind> = new Set([
  "multi",
  "queued",
  "exec",
  "discard",
  "watch",
  "unwatch",
  "internal",
]);
const ENDING: ReadonlySet<PendingKind> = new Set(["exec", "discard", "unwatch"]);
/** They change what the session knows of its connection. */
const OF_IDENTITY: ReadonlySet<PendingKind> = new Set(["select", "hello", "auth"]);
const DISCARD = encodeCommand(["DISCARD"]);
