import { nameOf } from "../protocol/arguments.ts";
import { isRead } from "../protocol/commands.ts";
import { isRefusal, isRefusedExec, isUnblocked } from "../protocol/refusals.ts";

/** What a reply means for the session when it comes. */
export type ExpectationKind =
  | "command"
  | "multi"
  | "queued"
  | "exec"
  | "discard"
  | "watch"
  | "unwatch"
  | "blocking"
  | "subscription"
  | "select"
  | "hello"
  | "auth"
  /** A command of the proxy itself; its reply is for nobody. */
  | "own";

/** A request on a pinned connection whose reply has not come. */
export interface Expectation {
  readonly kind: ExpectationKind;
  readonly request: Buffer;
  /** How many replies the engine gives, and how many of them are still to come. */
  readonly count: number;
  replies: number;
  /** When it was first sent, in milliseconds; a blocking command waits from then on. */
  readonly since: number;
  /** What the client is told instead of the engine's reply. */
  readonly substitute?: Buffer;
  /** Receives the answer. */
  readonly confirmed?: (answer: Buffer) => void;
}

/** True when nothing is lost if nobody knows whether it was executed: it changed nothing but the connection's state. */
export function isRepeatable({ kind, request, substitute }: Expectation): boolean {
  switch (kind) {
    case "command":
      return isRead(nameOf(request));
    case "exec":
      return substitute !== undefined;
    case "blocking":
      return nameOf(request) === "XREAD" || nameOf(request).startsWith("WAIT");
    default:
      return true;
  }
}

/** True when the answer proves that the request was not executed, and another engine will do it. */
export function wasNotExecuted({ kind }: Expectation, answer: Buffer): boolean {
  if (answer[0] !== MINUS) return false;
  if (isRefusal(answer)) return true;
  return (kind === "blocking" && isUnblocked(answer)) || (kind === "exec" && isRefusedExec(answer));
}

const MINUS = 45;
