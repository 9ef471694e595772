import type { ClientIdentity } from "../client/identity.ts";
import { CLIENT_NAMES, keptName, nameRefusal } from "../client/client-name.ts";
import { keyword } from "../protocol/arguments.ts";
import { bulkReply, errorReply, integerReply, notPermitted, replies, wrongNumber } from "../protocol/replies.ts";
import { answerClients } from "./database-clients.ts";
import type { AskingSession } from "./database-clients.ts";
import { describe } from "./listed-client.ts";
import type { Moving } from "./moving.ts";

/** What CLIENT needs of its session. */
export interface ClientSession extends AskingSession {
  readonly identity: ClientIdentity;
  readonly moving: Moving;
}

/** The answer to CLIENT, but for REPLY: the proxy knows its clients, and the engine knows only connections that they share. */
export function answerClient(session: ClientSession, args: readonly Buffer[]): Buffer | Promise<Buffer> {
  const { identity, endpoint } = session;
  const { name, settings } = identity;
  const subcommand = keyword(args[1]);
  // the engine knows the rights of its other users, and is not asked here
  if (identity.user !== undefined && ABOUT_OTHERS.has(subcommand))
    return notPermitted(`client|${subcommand.toLowerCase()}`);
  switch (subcommand) {
    case "SETNAME":
      return setName(identity, args);
    case "GETNAME":
      return bulkReply(name.length === 0 ? undefined : name, settings.protocol);
    case "SETINFO":
      return setInfo(identity, args);
    case "ID":
      return integerReply(identity.id);
    case "INFO":
      return bulkReply(textOf(describe(session, endpoint.clock.uptimeMs())), settings.protocol);
    case "LIST":
    case "KILL":
    case "UNBLOCK":
    case "PAUSE":
    case "UNPAUSE":
      return answerClients(session, args.slice(1));
    case "MAINT_NOTIFICATIONS":
      return session.moving.handle(args, settings.protocol);
    default: // NO-EVICT
      return /^(ON|OFF)$/.test(keyword(args[2])) ? replies.ok : replies.syntax;
  }
}

/** What concerns other clients is for administrators. */
const ABOUT_OTHERS: ReadonlySet<string> = new Set(["LIST", "KILL", "UNBLOCK", "PAUSE", "UNPAUSE"]);

function setName(identity: ClientIdentity, args: readonly Buffer[]): Buffer {
  const name = args[2];
  if (name === undefined) return wrongNumber("CLIENT|SETNAME");
  const refusal = nameRefusal(CLIENT_NAMES, name);
  if (refusal !== undefined) return refusal;
  identity.name = keptName(name);
  return replies.ok;
}

function setInfo(identity: ClientIdentity, [, , option, value]: readonly Buffer[]): Buffer {
  if (value === undefined) return wrongNumber("CLIENT|SETINFO");
  const name = keyword(option);
  if (name !== "LIB-NAME" && name !== "LIB-VER") return errorReply(`ERR Unrecognized option '${textIn(option)}'`);
  const refusal = nameRefusal(textIn(option), value);
  if (refusal !== undefined) return refusal;
  identity.library = { ...identity.library, [name === "LIB-NAME" ? "name" : "version"]: textIn(value) };
  return replies.ok;
}

function textOf(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

function textIn(bytes: Buffer | undefined): string {
  return bytes?.toString("latin1") ?? "";
}
