import { Fault } from "#kit/base/fault";
import { dialSocket } from "./dial.ts";
import type { Arg, ArgEncoding } from "./encode.ts";
import { CommandSocket } from "./command-socket.ts";
import type { CommandSocketOptions } from "./command-socket.ts";
import type { EngineTls } from "./engine-tls.ts";
import { faults } from "./faults.ts";
import type { Reply } from "./reply.ts";

/** A user of an engine; an empty password stands for none. */
interface UserLogin {
  readonly user: string;
  readonly password: string;
}

export interface EngineAddress {
  readonly host: string;
  readonly port: number;
  /** The password of the default user; absent or empty when it has none. Ignored when there are `logins`. */
  readonly password?: string | undefined;
  /** Tried in this order: an engine may not know the first yet. */
  readonly logins?: readonly UserLogin[];
  /** Present when the port speaks TLS alone. */
  readonly tls?: EngineTls | undefined;
}

/** Where the engine is, and how long connecting and authenticating together, and each command, may take. */
export interface EngineOptions extends EngineAddress, CommandSocketOptions {}

/**
 * A control connection to one engine. Each command is sent at most once: after RESP_TIMEOUT or RESP_CLOSED its outcome
 * is unknown, and the caller must read the engine's state.
 */
export interface EngineClient {
  /** Sends at once, also while other replies are outstanding. An error reply is RESP_ERROR_REPLY, see `engineCodeOf`. */
  call(...args: readonly Arg[]): Promise<Reply>;
  /** Sends one or more commands at once: each outcome in its place, an error reply as what `call` rejects with. */
  callAll(commands: readonly (readonly Arg[])[], encoding: ArgEncoding): Promise<readonly (Reply | Fault)[]>;
  /** Resolves with the reason when the connection is over, for whatever reason; never rejects. */
  readonly closed: Promise<Fault>;
  close(): void;
}

/** Connects and authenticates. RESP_CONNECT when the engine does not answer in time, RESP_ERROR_REPLY when the password is wrong. */
export async function connectEngine(options: EngineOptions): Promise<EngineClient> {
  const client = new CommandSocket(await dialSocket(options), options);
  const { password = "", logins = [{ user: "default", password }] } = options;
  try {
    await authenticate(client, logins);
  } catch (error) {
    client.close();
    throw error;
  }
  return client;
}

/** With the first that is accepted; an empty password stands for an engine that has none. The refusal is that of the first. */
async function authenticate(client: CommandSocket, logins: readonly UserLogin[]): Promise<void> {
  let refusal: Fault | undefined;
  for (const { user, password } of logins.filter((login) => login.password !== "")) {
    try {
      await client.call("AUTH", user, password);
      return;
    } catch (error) {
      if (!(error instanceof Fault) || engineCodeOf(error) === undefined) throw error;
      refusal ??= error;
    }
  }
  if (refusal !== undefined && logins.every(({ password }) => password !== "")) throw refusal;
}

/** One command on a connection of its own. */
export async function callEngine(options: EngineOptions, ...args: readonly Arg[]): Promise<Reply> {
  const client = await connectEngine(options);
  try {
    return await client.call(...args);
  } finally {
    client.close();
  }
}

/** The first word of the engine's error reply, for instance NOAUTH, when `error` is one. */
export function engineCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Fault) || error.code !== faults.errorReply.code) return undefined;
  return typeof error.details.engineCode === "string" ? error.details.engineCode : undefined;
}

/** The engine's error reply without its leading minus, when `error` is one. */
export function errorReplyOf(error: unknown): string | undefined {
  if (!(error instanceof Fault) || error.code !== faults.errorReply.code) return undefined;
  return typeof error.details.answer === "string" ? error.details.answer : undefined;
}
