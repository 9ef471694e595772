import { assertNever } from "../../../core/base/assert-never.ts";
import type { ClientIdentity } from "../client/identity.ts";
import type { PinnedRoute } from "../pinned/pinned-route.ts";
import { argumentsOf, keyword } from "../protocol/arguments.ts";
import type { SpecialCommand } from "../protocol/commands.ts";
import { errorReply, replies } from "../protocol/replies.ts";
import { continueAtPrimary, takeScan } from "../scan/scan.ts";
import type { ScanSession } from "../scan/scan.ts";
import { handleClient } from "./client-command.ts";
import { handleAuth, handleHello } from "./login.ts";
import { isKill, killScript } from "./kill-script.ts";
import { handleReset, handleSelect } from "./settings.ts";
import type { SessionEndpoint } from "./session-endpoint.ts";
import type { SharedRoute } from "./shared-route.ts";

/** What commands that are not simply forwarded need of their session. */
export interface CommandSession extends ScanSession {
  readonly endpoint: SessionEndpoint;
  readonly identity: ClientIdentity;
  readonly shared: SharedRoute;
  readonly pinned: PinnedRoute;
  /** Ends at the next boundary between requests. */
  finish(): void;
  /** Ends at once. */
  cut(why: string): void;
  /** Takes no request until `work` is over; it must not reject. */
  waitFor(work: Promise<void>): void;
  /** The session can share a lane again. */
  unpin(): void;
}

/** Takes one request that is not simply forwarded. False: it cannot be taken yet, and the session offers it again. */
export function dispatch(session: CommandSession, request: Buffer, command: SpecialCommand | undefined): boolean {
  const commandClass = command?.commandClass;
  if (!session.identity.authenticated && commandClass !== "identity" && commandClass !== "quit")
    return session.answer(replies.noAuth);
  const pinned = session.pinned.current;
  if (pinned?.inTransaction === true && commandClass !== "quit" && command?.name !== "RESET") {
    const queued = commandClass === "scan" ? continueAtPrimary(session.endpoint.scans, request) : request;
    return pinned.take(queued, command);
  }
  return command === undefined ? takePlain(session, request) : handle(session, request, command);
}

function handle(session: CommandSession, request: Buffer, command: SpecialCommand): boolean {
  switch (command.commandClass) {
    case "transaction":
      return takeTransaction(session, request, command);
    case "blocking":
      if (command.name.startsWith("XREAD") && !blocks(request)) return takePlain(session, request);
      return session.pinned.take(request, command);
    case "wait":
    case "subscription":
      return session.pinned.take(request, command);
    case "scan":
      return takeOrForwardScan(session, request);
    case "script":
      return takeScript(session, request, command);
    case "long":
      return isAnsweredAtOnce(request, command) ? takePlain(session, request) : session.pinned.take(request, command);
    case "identity":
      return command.name === "AUTH" ? handleAuth(session, request, command) : handleHello(session, request, command);
    case "session":
      return handleSession(session, request, command);
    case "quit":
      if (!session.answer(replies.ok)) return false;
      session.finish();
      return true;
    case "denied":
      return session.answer(errorReply(`ERR store: ${command.name} is not available at an endpoint`));
    case "hostile":
      session.cut("the client speaks HTTP");
      return true;
    default:
      return assertNever(command.commandClass);
  }
}

function takePlain(session: CommandSession, request: Buffer): boolean {
  const pinned = session.pinned.current;
  return pinned === undefined ? session.shared.forward(request) : pinned.take(request, undefined);
}

/** A script may run without end, and everything behind it on its connection waits as long. */
function takeScript(session: CommandSession, request: Buffer, command: SpecialCommand): boolean {
  const { name } = command;
  if (name === "EVAL" || name === "EVAL_RO") {
    rememberScript(session.endpoint.scripts, request);
    return session.pinned.take(request, command);
  }
  if (isKill(request)) return killScript(session, request);
  if (name === "SCRIPT") rememberScript(session.endpoint.scripts, request);
  return takePlain(session, request);
}

/** VADD waits for a thread only with CAS. */
function isAnsweredAtOnce(request: Buffer, { name }: SpecialCommand): boolean {
  return name === "VADD" && !argumentsOf(request).some((argument) => keyword(argument) === "CAS");
}

/** Without a pinned connection the client has no transaction to end: the engine gives the error. */
function takeTransaction(session: CommandSession, request: Buffer, command: SpecialCommand): boolean {
  const begins = command.name === "MULTI" || command.name === "WATCH";
  if (session.pinned.current === undefined && !begins) return session.shared.forward(request);
  return session.pinned.take(request, command);
}

function takeOrForwardScan(session: CommandSession, request: Buffer): boolean {
  const pinned = session.pinned.current;
  // a subscriber of the old protocol may not scan: the engine gives the error
  if (session.identity.settings.protocol === 2 && pinned?.listening === true) return pinned.take(request, undefined);
  return takeScan(session, request) ?? takePlain(session, request);
}

function handleSession(session: CommandSession, request: Buffer, command: SpecialCommand): boolean {
  if (session.hasPending) return false;
  switch (command.name) {
    case "CLIENT":
      return handleClient(session, argumentsOf(request));
    case "RESET":
      return handleReset(session);
    default:
      return handleSelect(session, request, command);
  }
}

function blocks(request: Buffer): boolean {
  return argumentsOf(request).some((argument) => keyword(argument) === "BLOCK");
}

function rememberScript(scripts: SessionEndpoint["scripts"], request: Buffer): void {
  const [name, second, third] = argumentsOf(request);
  if (keyword(name) !== "SCRIPT") {
    if (second !== undefined) scripts.add(second);
  } else if (keyword(second) === "LOAD" && third !== undefined) scripts.add(third);
  else if (keyword(second) === "FLUSH") scripts.clear();
}
