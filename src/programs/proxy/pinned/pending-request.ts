import { commandName } from "../protocol/arguments.ts";
import { isRead, runsForeignCode } from "../protocol/commands.ts";
import type { BusyPeriod } from "../upstream/busy-period.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { SpecialRequest } from "./open-transaction.ts";
import {
  hasRefusalInside,
  isBusyReply,
  isBusyExec,
  isRefusal,
  isRefusedExec,
  isUnblockedByCommand,
  isUnblockedByDemotion,
} from "../protocol/refusals.ts";

/** What the reply means for the session. */
export type PendingKind =
  | "command"
  | "multi"
  | "queued"
  | "exec"
  | "discard"
  | "watch"
  | "unwatch"
  | "blocking"
  | "subscription"
  | "tracking"
  | "caching"
  | "monitor"
  | "scan"
  | "select"
  | "hello"
  | "auth"
  /** A command of the proxy itself; the client does not get its reply. */
  | "internal";

/** What a command of the proxy itself is for. */
export interface OwnCommand {
  /** A request of the client waits for the answer: the command is sent again as that request would be. */
  readonly isAwaited: boolean;
  /** Called once, whatever comes of it: with the reply, or without when no engine has answered it and it is not sent again. */
  readonly settled: (answer: Buffer | undefined) => void;
}

/** A request on a pinned connection that is not answered. */
export interface PendingRequest {
  readonly kind: PendingKind;
  readonly request: Buffer;
  /** How many replies the engine gives, and how many of them have not arrived. */
  readonly count: number;
  replies: number;
  /** How many of several replies the client has, or must not get a second time. */
  delivered?: number;
  /** Those of several replies that have come behind a request that is to be sent again. */
  earlier?: Buffer | undefined;
  /** The proxy has taken it back, not the client. */
  withdrawn?: boolean;
  /** A blocking command that an engine has kept waiting, and then no more. */
  hasWaited?: boolean;
  /** An engine has not executed it, or was gone: it is sent again. */
  isLate?: boolean;
  /** It was sent behind a blocking command: a move does not wait for it, and the engine may execute it at any time. */
  isBehind?: boolean;
  /** When it was first sent, in milliseconds; the timeout of a blocking command counts from then. */
  readonly since: number;
  /** What the client gets instead of the engine's reply. */
  readonly substitute?: Buffer;
  /** What the client may get instead of another attempt: the engine's answer. */
  readonly answer?: Buffer;
  /** What an EXEC executes besides requests to the engine, by the places in the transaction. */
  readonly special?: ReadonlyMap<number, SpecialRequest>;
  /** Of an EXEC: its transaction changes nothing. */
  readonly onlyReads?: boolean;
  /** Of an EXEC: the places of the scans in the transaction. */
  readonly scans?: readonly number[];
  /** Of a scan, and of an EXEC of some: the tag of the cursors in the reply. */
  readonly tag?: number;
  /** Of the proxy itself: what becomes of it. */
  readonly own?: OwnCommand;
}

/** True when it may be sent again although it may have been executed: it changes nothing but the connection. */
export function isRepeatable({ kind, request, substitute, onlyReads = false }: PendingRequest): boolean {
  switch (kind) {
    case "command":
      return isRead(request);
    case "exec":
      return substitute !== undefined || onlyReads;
    case "blocking":
      return commandName(request) === "XREAD" || commandName(request).startsWith("WAIT");
    default:
      return true;
  }
}

/**
 * True when the request was not executed and is sent again; undefined when only the engine can tell. `now` is the uptime in milliseconds. A
 * request that a script keeps from being executed for too long is not sent again.
 */
export function wasRefused(
  pending: PendingRequest,
  answer: Buffer,
  busy: BusyPeriod,
  now: number,
): boolean | undefined {
  const waits = metScript(pending, answer);
  const isProven = !isDoubtful(pending, answer) || (waits && busy.provenSince(pending.since));
  if (waits && !busy.spares(now, isProven)) return false;
  return isProven ? waits || wasNotExecuted(pending, answer) : undefined;
}

/** True for a command of the proxy itself that is of no use to another connection. */
export function isOfConnection({ kind, own }: PendingRequest): boolean {
  return kind === "internal" && own?.isAwaited !== true;
}

/** True when the reply proves that the request was not executed, and that another engine will execute it. */
function wasNotExecuted({ kind, withdrawn = false }: PendingRequest, answer: Buffer): boolean {
  if (answer[0] !== MINUS) return false;
  if (isRefusal(answer)) return true;
  if (kind === "blocking") return isUnblockedByDemotion(answer) || (withdrawn && isUnblockedByCommand(answer));
  return kind === "exec" && isRefusedExec(answer);
}

/** True when the reply says that the engine has not executed the request because it runs a script. */
export function metScript({ kind }: PendingRequest, answer: Buffer): boolean {
  return answer[0] === MINUS && (isBusyReply(answer) || (kind === "exec" && isBusyExec(answer)));
}

/** True for a script and for a command of a module, which may answer with any text. */
export function isForeign({ kind, request }: PendingRequest): boolean {
  return kind === "command" && runsForeignCode(request);
}

/** True when the reply has the text of a refusal, but comes from a script or a module, or from one in a transaction: only the engine's role can tell. */
function isDoubtful(pending: PendingRequest, answer: Buffer): boolean {
  if (pending.kind === "exec") return hasRefusalInside(answer);
  return (isRefusal(answer) || isBusyReply(answer)) && isForeign(pending);
}

/**
 * True when a script may have met a refusal and kept it to itself (`redis.pcall`): its answer has no text of one, and its engine may have
 * been demoted before the script ran. Only the engine's role can tell.
 */
export function mayHideRefusal(
  pending: PendingRequest,
  { upstream, doubtful }: Pick<PrimaryView, "upstream" | "doubtful">,
  asked: Pick<Upstream, "busy">,
): boolean {
  return (doubtful || upstream !== asked) && mayRunScript(pending);
}

/**
 * True when it must not wait at an engine behind a blocking command: that command may end when the engine is no primary any more, and of what
 * a script or a transaction does then the answer does not say whether it counts.
 */
export function mustFollowAnswer(pending: PendingRequest): boolean {
  return mayRunScript(pending) && !isRepeatable(pending);
}

function mayRunScript(pending: PendingRequest): boolean {
  if (pending.kind === "exec") return pending.substitute === undefined;
  return isForeign(pending) && !isRead(pending.request);
}

/**
 * True for a read, or a transaction of reads, that the engine may have executed while another one was the primary already: it
 * waited there behind a blocking command when its clients were held. The primary is asked again.
 */
export function isOutrun(
  pending: PendingRequest,
  reply: Buffer,
  { held, upstream }: Pick<PrimaryView, "held" | "upstream">,
  asked: Upstream,
): boolean {
  const { kind, isBehind = false } = pending;
  if (!isBehind || (!held && upstream === asked) || !isRepeatable(pending)) return false;
  // its wait may have been ended by another client
  if (kind === "blocking") return reply[0] !== MINUS;
  return kind === "command" || kind === "exec";
}

/** True for an error that proves that the request changed nothing. */
export function hasFailed(pending: PendingRequest, answer: Buffer): boolean {
  return answer[0] === MINUS && !isForeign(pending);
}

const MINUS = 45;
