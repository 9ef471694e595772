import { assertNever } from "../../../core/base/assert-never.ts";
import { argumentsOf, keyword } from "../protocol/arguments.ts";
import { treatClient } from "./client-command.ts";
import type { Special } from "../protocol/commands.ts";
import { LIMITS } from "../limits/limits.ts";
import { dialPinFor } from "../pinned/pin-dial.ts";
import { Pinned } from "../pinned/pinned.ts";
import { errorReply, replies } from "../protocol/replies.ts";
import { scanHere, takeScan } from "../scan/scan.ts";
import type { Session } from "./session.ts";
import { laneName } from "../upstream/upstream.ts";
import type { Place } from "../upstream/upstream.ts";

/**
 * Takes one request that is not simply forwarded. False: it cannot be taken yet, because replies before it are awaited or
 * a connection is being made; the session offers it again.
 */
export function treat(session: Session, request: Buffer, special: Special | undefined): boolean {
  const { identity, pinned } = session;
  const treatment = special?.treatment;
  if (!identity.authenticated && treatment !== "identity" && treatment !== "quit") return session.local(replies.noAuth);
  if (pinned?.inTransaction === true && treatment !== "quit" && special?.name !== "RESET")
    return pinned.take(special?.treatment === "scan" ? scanHere(session, request) : request, special);
  if (special === undefined) return pinned === undefined ? session.forward(request) : pinned.take(request, special);
  switch (special.treatment) {
    case "transaction":
      // without a connection of its own the client has no transaction: the engine says so
      if (pinned === undefined && special.name !== "MULTI" && special.name !== "WATCH") return session.forward(request);
      return takePinned(session, request, special);
    case "blocking":
      if (special.name.startsWith("XREAD") && !blocks(request)) return takePlain(session, request);
      return takePinned(session, request, special);
    case "wait":
    case "subscription":
      return takePinned(session, request, special);
    case "scan":
      // a subscriber of the old protocol may not scan: the engine says so
      if (identity.place.protocol === 2 && pinned?.listening === true) return pinned.take(request, undefined);
      return takeScan(session, request) ?? takePlain(session, request);
    case "script":
      rememberScript(session, request);
      return takePlain(session, request);
    case "identity":
      return special.name === "AUTH" ? treatAuth(session, request, special) : treatHello(session, request, special);
    case "session":
      return treatSession(session, request, special);
    case "quit":
      if (!session.local(replies.ok)) return false;
      session.finish();
      return true;
    case "denied":
      return session.local(errorReply(`ERR store: ${special.name} is not available at an endpoint`));
    case "hostile":
      session.cut("a client speaks HTTP");
      return true;
    default:
      return assertNever(special.treatment);
  }
}

function takePlain(session: Session, request: Buffer): boolean {
  return session.pinned === undefined ? session.forward(request) : session.pinned.take(request, undefined);
}

/** Gives the client a connection of its own first, if it has none. */
function takePinned(session: Session, request: Buffer, special: Special): boolean {
  if (session.pinned !== undefined) return session.pinned.take(request, special);
  if (session.owed) return false;
  const { host } = session;
  if (host.upstream === undefined || !host.upstream.reachable) {
    if (host.givenUp) return session.local(replies.noPrimary);
    // asking makes it be dialled
    session.usableLane();
    return false;
  }
  if (host.counters.pins >= LIMITS.pins) return session.local(replies.tooManyPins);
  const pin = host.upstream.takePin(session.identity.place);
  if (pin === undefined) {
    dialPinFor(session);
    return false;
  }
  session.pinned = new Pinned(session, pin, host.upstream);
  return session.pinned.take(request, special);
}

function blocks(request: Buffer): boolean {
  return argumentsOf(request).some((argument) => keyword(argument) === "BLOCK");
}

function rememberScript(session: Session, request: Buffer): void {
  const [name, second, third] = argumentsOf(request);
  const { scripts } = session.host;
  if (keyword(name) !== "SCRIPT") {
    if (second !== undefined) scripts.add(second);
  } else if (keyword(second) === "LOAD" && third !== undefined) scripts.add(third);
  else if (keyword(second) === "FLUSH") scripts.clear();
}

function treatAuth(session: Session, request: Buffer, special: Special): boolean {
  const [, first, second, extra] = argumentsOf(request);
  if (first === undefined || extra !== undefined) return session.local(replies.syntax);
  const { host, identity } = session;
  if (second !== undefined && first.toString() !== "default") return takePinned(session, request, special);
  if (second === undefined && host.password === "") return session.local(replies.noPassword);
  if (host.password !== "" && !host.accepts(second ?? first)) return session.local(replies.wrongPassword);
  if (identity.user !== undefined) return takePinned(session, request, special);
  if (!session.local(replies.ok)) return false;
  identity.authenticated = true;
  return true;
}

function treatHello(session: Session, request: Buffer, special: Special): boolean {
  const hello = parseHello(argumentsOf(request));
  if (hello === undefined) return session.local(replies.syntax);
  const { host, identity, pinned } = session;
  const protocol = hello.protocol ?? identity.place.protocol;
  if (protocol !== 2 && protocol !== 3) return session.local(replies.noProtocol);
  if (hello.user !== undefined && hello.user.toString() !== "default") return takePinned(session, request, special);
  if (hello.password !== undefined && host.password !== "" && !host.accepts(hello.password))
    return session.local(replies.wrongPassword);
  if (hello.password === undefined && !identity.authenticated) return session.local(replies.noAuth);
  if (pinned !== undefined) return pinned.take(request, special);
  if (session.owed) return false;
  return moveTo(session, { ...identity.place, protocol }, (greeting) => {
    identity.authenticated = true;
    if (hello.name !== undefined) identity.name = Buffer.from(hello.name);
    return withClientId(greeting, identity.id);
  });
}

interface Hello {
  readonly protocol: number | undefined;
  readonly user?: Buffer;
  readonly password?: Buffer;
  readonly name?: Buffer;
}

function parseHello([, version, ...options]: readonly Buffer[]): Hello | undefined {
  let hello: Hello = { protocol: version === undefined ? undefined : Number(version.toString()) };
  for (let rest = options; rest.length > 0;) {
    const [option, first, second] = rest;
    if (keyword(option) === "AUTH" && first !== undefined && second !== undefined) {
      hello = { ...hello, user: first, password: second };
      rest = rest.slice(3);
    } else if (keyword(option) === "SETNAME" && first !== undefined) {
      hello = { ...hello, name: first };
      rest = rest.slice(2);
    } else return undefined;
  }
  return hello;
}

/** Goes to the lane of another place, and answers with what `answer` makes of that lane's greeting. */
function moveTo(session: Session, place: Place, answer: (greeting: Buffer) => Buffer): boolean {
  const { host } = session;
  const known = host.upstream?.places.some((other) => laneName(other) === laneName(place)) ?? false;
  if (!known && (host.upstream?.places.length ?? 0) >= LIMITS.places) return session.local(replies.tooManyDatabases);
  const choice = host.upstream?.choose(place);
  if (choice === undefined) return host.givenUp ? session.local(replies.noPrimary) : false;
  if ("refused" in choice) return session.local(choice.refused);
  session.identity.place = place;
  session.leaveLane();
  return session.local(answer(choice.hello));
}

/** The engine's greeting names the connection that is shared; the client is told its own number. */
function withClientId(greeting: Buffer, id: number): Buffer {
  return Buffer.from(greeting.toString("latin1").replace(/(\r\nid\r\n:)\d+/, `$1${id}`), "latin1");
}

function treatSession(session: Session, request: Buffer, special: Special): boolean {
  if (session.owed) return false;
  const args = argumentsOf(request);
  switch (special.name) {
    case "CLIENT":
      return treatClient(session, args);
    case "RESET":
      return reset(session);
    default:
      return select(session, request, args, special);
  }
}

function select(session: Session, request: Buffer, args: readonly Buffer[], special: Special): boolean {
  if (session.pinned !== undefined) return session.pinned.take(request, special);
  const text = args[1]?.toString() ?? "";
  if (args.length !== 2 || !/^\d{1,6}$/.test(text)) return session.local(replies.badDatabase);
  return moveTo(session, { ...session.identity.place, database: Number(text) }, () => replies.ok);
}

function reset(session: Session): boolean {
  const { identity, host } = session;
  session.dropPin();
  identity.user = undefined;
  identity.name = Buffer.alloc(0);
  identity.place = { protocol: 2, database: 0 };
  identity.authenticated = host.password === "";
  session.leaveLane();
  return session.local(replies.reset);
}
