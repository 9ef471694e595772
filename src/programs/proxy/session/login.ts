import { DEFAULT_USER, ENGINE_USER } from "../../../core/api/engine-login.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { CLIENT_NAMES, keptName, nameRefusal } from "../client/client-name.ts";
import { hostOf } from "../client/identity.ts";
import type { LoginAttempt } from "../client/login-turns.ts";
import type { SessionParts } from "../client/session-parts.ts";
import type { PinnedRoute } from "../pinned/pinned-route.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { keyword } from "../protocol/arguments.ts";
import { greetingFor } from "../protocol/greeting.ts";
import type { CommandEntry } from "../protocol/table/entry.ts";
import { integerIn } from "../protocol/integers.ts";
import { errorReply, notWithShards, replies, wrongNumber } from "../protocol/replies.ts";
import { changeSettings } from "./settings.ts";
import type { SettingsSession } from "./settings.ts";
import type { SessionEndpoint } from "./session-endpoint.ts";

/** The parts of a session that AUTH and HELLO use. */
export interface LoginSession extends SettingsSession {
  readonly endpoint: SettingsSession["endpoint"] & Pick<SessionEndpoint, "clock" | "isCluster" | "table">;
  readonly pinned: Pick<PinnedRoute, "listeners" | "release" | "shard" | "take" | "takeAt">;
  readonly turns: Pick<SessionParts["turns"], "answer" | "waitFor">;
  readonly work: SessionParts["work"];
  readonly life: Pick<SessionParts["life"], "ended">;
}

/** AUTH: the proxy checks the endpoint's password, and the engine those of other users. */
export function handleAuth(session: LoginSession, request: Buffer, command: CommandEntry): boolean {
  const [, first, second, extra] = requestArguments(request);
  if (first === undefined) return session.turns.answer(wrongNumber("AUTH"));
  if (extra !== undefined) return session.turns.answer(replies.syntax);
  const user = second === undefined ? DEFAULT_USER : first.toString();
  if (mustWait(session)) return false;
  if (user === ENGINE_USER) return refuseLogin(session);
  if (user !== DEFAULT_USER) return askEngine(session, request, command);
  return logInAsDefault(session, { password: second ?? first, namesUser: second !== undefined }, command);
}

/** Where no password is required, each is right for a client that names the user. */
function logInAsDefault(
  session: LoginSession,
  { password, namesUser }: { readonly password: Buffer; readonly namesUser: boolean },
  command: CommandEntry,
): boolean {
  const { identity } = session;
  const { credentials } = session.endpoint;
  const isAccepted = credentials.accepts(password);
  if (!isAccepted && credentials.required) return refuseLogin(session);
  if (!isAccepted && !namesUser) return session.turns.answer(replies.noPassword);
  if (identity.user !== undefined) return session.pinned.take(encodeCommand(authOf(session)), command);
  if (!session.turns.answer(replies.ok)) return false;
  identity.authenticated = true;
  return true;
}

/** HELLO: may authenticate, name the client and change the protocol version. */
export function handleHello(session: LoginSession, request: Buffer, command: CommandEntry): boolean {
  const hello = parseHello(requestArguments(request));
  if (Buffer.isBuffer(hello)) return session.turns.answer(hello);
  const user = hello.user?.toString() ?? DEFAULT_USER;
  if (hello.password !== undefined && mustWait(session)) return false;
  if (user === ENGINE_USER) return refuseLogin(session);
  if (user !== DEFAULT_USER)
    return hello.password === undefined ? session.pinned.take(request, command) : askEngine(session, request, command);
  if (hello.password !== undefined && !isRight(session, hello.password)) return refuseLogin(session);
  const refusal = refusalOf(session, hello);
  if (refusal !== undefined) return session.turns.answer(refusal);
  return greet(session, hello, request, command);
}

function isRight({ endpoint: { credentials } }: LoginSession, password: Buffer): boolean {
  return !credentials.required || credentials.accepts(password);
}

/** Of a client that has not logged in, and gives no password, and of a name that no client may have. */
function refusalOf({ identity }: LoginSession, { password, name }: Hello): Buffer | undefined {
  if (password === undefined && !identity.authenticated) return replies.noAuth;
  return name === undefined ? undefined : nameRefusal(CLIENT_NAMES, name);
}

function greet(session: LoginSession, hello: Hello, request: Buffer, command: CommandEntry): boolean {
  const { identity, pinned } = session;
  const protocol = hello.protocol ?? identity.settings.protocol;
  if (pinned.shard !== undefined) {
    const greeting = hello.password === undefined ? request : helloOf(session, hello, protocol);
    return pinned.takeAt(pinned.shard, greeting, command);
  }
  if (session.work.hasPending) return false;
  if (protocol !== identity.settings.protocol && pinned.listeners?.state.isUsed === true)
    return session.turns.answer(notWithShards("HELLO with another protocol behind SUBSCRIBE or CLIENT TRACKING"));
  return changeSettings(session, { ...identity.settings, protocol }, (greeting) => {
    identity.authenticated = true;
    if (hello.name !== undefined) identity.name = keptName(hello.name);
    return greetingFor(greeting, identity.id, session.endpoint.isCluster);
  });
}

/** True while the client has to wait for its turn, with a right password too; its login is offered again then. */
function mustWait(session: LoginSession): boolean {
  const turn = session.endpoint.credentials.turns.turn(loginOf(session));
  if (turn !== undefined) session.turns.waitFor(turn);
  return turn !== undefined;
}

/** The answer comes after a delay: others of the address are not kept waiting for it. */
function refuseLogin(session: LoginSession): boolean {
  if (session.work.hasPending) return false;
  const settled = session.endpoint.credentials.turns.settle(loginOf(session), false);
  session.turns.waitFor(settled.then(() => void session.turns.answer(replies.wrongPassword)));
  return true;
}

/** The engine looks at the password of its own user. Where there are several shards, a user of one engine is none of the database. */
function askEngine(session: LoginSession, request: Buffer, command: CommandEntry): boolean {
  if (session.endpoint.table !== undefined) return refuseLogin(session);
  const isTaken = session.pinned.take(request, command);
  if (isTaken) session.endpoint.credentials.turns.ask(loginOf(session));
  return isTaken;
}

function loginOf(session: LoginSession): LoginAttempt {
  const { identity } = session;
  return { address: hostOf(identity), connection: identity, isGone: () => session.life.ended };
}

/** The login of the proxy, which is all that the engine knows: the proxy stands for a client whose password it has found right. */
function authOf({ endpoint }: LoginSession): readonly [string, string, string] {
  const [login = { user: DEFAULT_USER, password: "" }] = endpoint.logins;
  return ["AUTH", login.user, login.password];
}

function helloOf(session: LoginSession, { name }: Hello, protocol: number): Buffer {
  return encodeCommand(["HELLO", protocol, ...authOf(session), ...(name === undefined ? [] : ["SETNAME", name])]);
}

interface Hello {
  readonly protocol: number | undefined;
  readonly user?: Buffer;
  readonly password?: Buffer;
  readonly name?: Buffer;
}

/** An error reply when it is wrong. */
function parseHello([, version, ...options]: readonly Buffer[]): Hello | Buffer {
  const protocol = version && integerIn(version.toString("latin1"));
  if (version !== undefined && protocol === undefined) return NO_VERSION;
  if (protocol !== undefined && protocol !== 2n && protocol !== 3n) return replies.noProtocol;
  return withOptions({ protocol: protocol && Number(protocol) }, options);
}

/** AUTH with two arguments and SETNAME with one, in any order. */
function withOptions(given: Hello, options: readonly Buffer[]): Hello | Buffer {
  let hello = given;
  for (let at = 0; at < options.length;) {
    const [option, first, second] = options.slice(at, at + 3);
    if (keyword(option) === "AUTH" && first !== undefined && second !== undefined) {
      hello = { ...hello, user: first, password: second };
      at += 3;
    } else if (keyword(option) === "SETNAME" && first !== undefined) {
      hello = { ...hello, name: first };
      at += 2;
    } else return errorReply(`ERR Syntax error in HELLO option '${option?.toString("latin1") ?? ""}'`);
  }
  return hello;
}

const NO_VERSION = errorReply("ERR Protocol version is not an integer or out of range");
