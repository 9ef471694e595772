import { assertNever } from "#kit/base/assert-never";
import { noteSent, type ClientIdentity } from "../client/identity.ts";
import { awaitedScript } from "../pinned/awaited-scripts.ts";
import type { PinnedRoute } from "../pinned/pinned-route.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { lastClassified } from "../protocol/commands.ts";
import { requestParts } from "../protocol/request-parts.ts";
import type { CommandClass, CommandEntry } from "../protocol/table/entry.ts";
import { errorReply, unavailableReply, replies, wrongNumber } from "../protocol/replies.ts";
import { hasArity } from "../protocol/table/has-arity.ts";
import { takenAtSite } from "../protocol/site-commands.ts";
import { cursorOf } from "../scan/cursor.ts";
import { takeScan } from "../scan/scan.ts";
import type { ScanParts } from "../scan/scan.ts";
import { handleAuth, handleHello } from "./login.ts";
import { forwardScriptKill } from "./kill-script.ts";
import { giveOwnAnswer, type AnsweredSession } from "./own-answers.ts";
import { waitForSites } from "./wait-for-sites.ts";
import { entryInside, takeOfCluster } from "./cluster-commands.ts";
import { handleReset, handleSelect } from "./settings.ts";
import type { SessionEndpoint } from "./session-endpoint.ts";
import { forwardPlain, noteCrossing, takeAlone, type ForwardingSession } from "./sharded-commands.ts";
import { PLAIN, resolveCommand } from "./resolve-command.ts";
import { pongOfSubscriber, takeListening } from "./listening.ts";
import { takeQueued, takeTransaction } from "./sharded-transactions.ts";

/** The parts of a session that commands need which are not simply forwarded. */
export interface CommandParts extends ScanParts, Omit<AnsweredSession, "life" | "output" | "turns" | "work"> {
  readonly endpoint: SessionEndpoint;
  readonly identity: ClientIdentity;
  readonly shared: ForwardingSession["shared"];
  readonly pinned: PinnedRoute;
  readonly work: ForwardingSession["work"];
  readonly life: ScanParts["life"] & AnsweredSession["life"];
  readonly output: ScanParts["output"] & AnsweredSession["output"];
}

/** Takes one request that is not simply forwarded. False: it cannot be taken yet, and the session offers it again. */
export function dispatch(session: CommandParts, sent: Buffer, command: CommandEntry | undefined): boolean {
  if (!session.identity.authenticated && !OPEN_TO_GUESTS.has(command?.name ?? ""))
    return session.turns.answer(replies.noAuth);
  const resolved = command === undefined ? PLAIN : resolveCommand(session, sent, command);
  if (resolved === undefined) return false;
  const { request, command: known } = session.endpoint.isSite
    ? takenAtSite(sent, resolved)
    : { request: sent, command: resolved };
  if (isPutOff(session, request, known)) return false;
  const name = known.name === "" ? lastClassified() : known.name;
  noteSent(session.identity, name, session.endpoint.clock.uptimeMs());
  return takeInState(session, request, known, name);
}

/** Whether the request cannot be taken now: its client is on its way to another connection, or a script has to be known first. */
function isPutOff(session: CommandParts, request: Buffer, command: CommandEntry): boolean {
  if (!session.moving.admits(command)) {
    session.life.finish();
    return true;
  }
  const scripts = awaitedScript(session.endpoint.scripts, command.name, request);
  if (scripts !== undefined) session.turns.waitFor(scripts);
  return scripts !== undefined;
}

/** What the session is in decides first: `MONITOR`, a transaction, a subscription of the old protocol. */
function takeInState(session: CommandParts, request: Buffer, known: CommandEntry, name: string): boolean {
  const pinned = session.pinned.current;
  const ends = ENDS.has(known.name) && hasArity(known.name, requestArguments(request).length);
  if (isMonitor(session) && !ends) return session.turns.answer(MONITORING);
  if (pinned?.inTransaction === true && !ends)
    return takeQueued(session, request, entryInside(session.endpoint, known), name);
  if (!ends && isLimited(session)) {
    const refusal = answerToSubscriber(session, request, known, name);
    if (refusal !== undefined) return session.turns.answer(refusal);
  }
  const isTaken = takeUsual(session, request, known, name);
  if (isTaken) noteCrossing(session.endpoint, name, request);
  return isTaken;
}

/** Where clients see a cluster, some requests are answered here which engines answer elsewhere. */
function takeUsual(session: CommandParts, request: Buffer, command: CommandEntry, name: string): boolean {
  const isOfCluster = session.endpoint.isCluster && !isLimited(session);
  return (isOfCluster ? takeOfCluster(session, request, name) : undefined) ?? handle(session, request, command);
}

function isMonitor({ pinned: { current, listeners } }: CommandParts): boolean {
  return listeners?.state.isMonitoring ?? current?.state.monitoring === true;
}

/** A subscriber of the old protocol: its engine takes nothing that has a reply of its own. */
function isLimited({ identity, pinned }: CommandParts): boolean {
  if (pinned.listeners !== undefined) return pinned.listeners.state.isLimited(identity.settings.protocol);
  return identity.settings.protocol === 2 && (pinned.current?.state.subscriptions.size ?? 0) > 0;
}

/** What such a subscriber gets instead of an engine's answer; the engine of the only shard answers the rest. */
function answerToSubscriber(
  { pinned }: CommandParts,
  request: Buffer,
  { commandClass }: CommandEntry,
  name: string,
): Buffer | undefined {
  if (isAnsweredHere(commandClass)) return notOfSubscriber(request, name);
  if (pinned.listeners === undefined || commandClass === "subscription") return undefined;
  return name === "PING" ? pongOfSubscriber(request) : notOfSubscriber(request, name);
}

function notOfSubscriber(request: Buffer, name: string): Buffer {
  if (!hasArity(name, requestArguments(request).length)) return wrongNumber(name);
  const allowed = "(P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET";
  return errorReply(`ERR Can't execute '${name.toLowerCase()}': only ${allowed} are allowed in this context`);
}

const OPEN_TO_GUESTS: ReadonlySet<string> = new Set(["AUTH", "HELLO", "QUIT", "RESET"]);
/** The commands that a client may send in any state, because they end it. */
const ENDS: ReadonlySet<string> = new Set(["QUIT", "RESET"]);
const MONITORING = errorReply("ERR store: only QUIT and RESET are available behind MONITOR");

function handle(session: CommandParts, request: Buffer, command: CommandEntry): boolean {
  const { commandClass } = command;
  if (isAnsweredHere(commandClass)) {
    const isTaken = hasArity(command.name, requestArguments(request).length);
    return isTaken
      ? handleHere(session, request, command, commandClass)
      : session.turns.answer(wrongNumber(command.name));
  }
  switch (commandClass) {
    case "read":
    case "write":
    case "caching":
      return takePlain(session, request, command);
    case "transaction":
      return takeTransaction(session, request, command);
    case "blocking":
      return blocks(request, command) ? takeAlone(session, request, command) : takePlain(session, request);
    case "tracking":
    case "wait":
    case "monitor":
    case "subscription":
      return takeListening(session, request, command);
    case "script":
      return takeAlone(session, request, command);
    case "scripts":
      return takeScripts(session, request, command);
    case "scan":
      return takeOrForwardScan(session, request, command);
    case "long":
      return isAnsweredAtOnce(request, command) ? takePlain(session, request) : takeAlone(session, request, command);
    case "container":
    case "unknown":
      throw new Error(`${command.name} was not resolved`);
    default:
      return assertNever(commandClass);
  }
}

const ANSWERED_HERE = [
  "kill",
  "identity",
  "session",
  "client",
  "whoami",
  "sites",
  "view",
  "parameters",
  "quit",
  "refused",
  "hostile",
] as const;
type ClassAnsweredHere = (typeof ANSWERED_HERE)[number];

function isAnsweredHere(commandClass: CommandClass): commandClass is ClassAnsweredHere {
  return ANSWERED_HERE.some((one) => one === commandClass);
}

/** Answers what no engine sees. */
function handleHere(
  session: CommandParts,
  request: Buffer,
  command: CommandEntry,
  commandClass: ClassAnsweredHere,
): boolean {
  switch (commandClass) {
    case "kill":
      return forwardScriptKill(session, request);
    case "identity":
      return command.name === "AUTH" ? handleAuth(session, request, command) : handleHello(session, request, command);
    case "session":
      return handleSession(session, request, command);
    case "client":
    case "whoami":
    case "view":
    case "parameters":
      return giveOwnAnswer(session, request);
    case "sites":
      return waitForSites(session, request);
    case "quit":
      if (!session.turns.answer(replies.ok)) return false;
      session.life.finish();
      return true;
    case "refused":
      return session.turns.answer(unavailableReply(command));
    case "hostile":
      session.life.cut("the client speaks HTTP");
      return true;
    default:
      return assertNever(commandClass);
  }
}

function takePlain(session: CommandParts, request: Buffer, command?: CommandEntry): boolean {
  const pinned = session.pinned.current;
  if (pinned !== undefined) {
    if (session.endpoint.table === undefined) return pinned.take(request, command);
    // its key may be at another shard, so that it goes past a connection that only watches keys
    if (pinned.work.hasPending) return false;
    // the settings may have changed there
    if (!session.shared.hasPending) session.shared.leaveLane();
  }
  const name = command === undefined || command.name === "" ? lastClassified() : command.name;
  return forwardPlain(session, request, name);
}

function takeScripts(session: CommandParts, request: Buffer, command: CommandEntry): boolean {
  if (session.endpoint.table !== undefined) return takePlain(session, request, command);
  return session.pinned.take(request, command);
}

/** VADD waits for a thread only with CAS. */
function isAnsweredAtOnce(request: Buffer, { name }: CommandEntry): boolean {
  return name === "VADD" && requestParts(name, requestArguments(request))?.has("CAS") === false;
}

function takeOrForwardScan(session: CommandParts, request: Buffer, command: CommandEntry): boolean {
  const pinned = session.pinned.current;
  // a subscriber of the old protocol may not scan: the engine gives the error
  if (pinned !== undefined && isLimited(session)) return pinned.take(request, undefined);
  if (pinned !== undefined && cursorOf(request) !== undefined) {
    // what the client tracks is known when it has all replies
    if (session.work.hasPending) return false;
    if (pinned.state.tracksRead(command.name !== "SCAN")) return pinned.take(request, command);
  }
  return takeScan(session, request) ?? takePlain(session, request);
}

function handleSession(session: CommandParts, request: Buffer, command: CommandEntry): boolean {
  if (session.work.hasPending) return false;
  return command.name === "RESET" ? handleReset(session) : handleSelect(session, request, command);
}

function blocks(request: Buffer, { name }: CommandEntry): boolean {
  return !name.startsWith("XREAD") || requestParts(name, requestArguments(request))?.has("BLOCK") !== false;
}
