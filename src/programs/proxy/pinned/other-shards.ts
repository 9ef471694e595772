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
 * Takes a connection that is at no engine to other shards: a transaction that an engine has begun goes along with it, and what was not executed
 * behind that goes on as any request of the client. True: the connection goes on with what it keeps. False: it keeps nothing.
 */
export function goToShards(others: OtherShards, kept: KeptAtConnection): boolean {
  const { state, pending, commands } = kept;
  giveListening(others, state);
  const refused = pending.takeRefused();
  const end = endOfTransaction(state, refused);
  const behind = refused.slice(end);
  // it is opened again by its MULTI
  if (behind.some(({ kind }) => kind === "multi")) commands.forgetOpen();
  others.give(behind.map((one) => asSent(one)));
  const isKept = state.needsPin || commands.inTransaction;
  if (isKept) placeOwn(others, kept, refused.slice(0, end));
  return isKept;
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
): void {
  const isWhole = others.place([...(state.queuedRequests ?? []), ...own.map(({ request }) => request)]);
  if (!isWhole) commands.failTransaction();
  for (const one of own) pending.refuse(isWhole ? one : letFail(one));
}

function letFail(request: PendingRequest): PendingRequest {
  return request.kind === "exec" ? { ...request, request: DISCARD, substitute: replies.transactionAborted } : request;
}

/** How many of the requests belong to the transaction that an engine has begun. */
function endOfTransaction({ queuedRequests }: ConnectionState, refused: readonly PendingRequest[]): number {
  if (queuedRequests === undefined) return 0;
  const end = refused.findIndex(({ kind }) => ENDING.has(kind)) + 1;
  return end === 0 ? refused.length : end;
}

/** As the client has sent it. An EXEC that fails because of a WATCH does so elsewhere too; no other one has failed before its MULTI is executed. */
function asSent(request: PendingRequest): PendingRequest {
  return request.kind === "exec" ? { ...request, request: EXEC } : request;
}

const ENDING: ReadonlySet<PendingKind> = new Set(["exec", "discard"]);
const EXEC = encodeCommand(["EXEC"]);
const DISCARD = encodeCommand(["DISCARD"]);
