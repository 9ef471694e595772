import type { Clock } from "../../../core/base/clock.ts";
import type { ClientIdentity } from "../client/identity.ts";
import { keyword } from "../protocol/arguments.ts";
import { bulkReply, errorReply, integerReply, notPermitted, replies } from "../protocol/replies.ts";
import { killClients } from "./client-kill.ts";
import type { ClientPause } from "./client-pause.ts";
import { describe, filterOf } from "./listed-client.ts";
import type { ListedClient } from "./listed-client.ts";
import type { ReplyMode } from "./reply-mode.ts";

/** What CLIENT needs of its session. */
export interface ClientSession extends ListedClient {
  readonly endpoint: {
    readonly clock: Clock;
    readonly pause: ClientPause;
    /** All clients of the endpoint at this proxy. */
    readonly clients: ReadonlySet<ListedClient>;
  };
  readonly identity: ClientIdentity;
  readonly replyMode: ReplyMode;
  /** Answers in the engine's place; false when earlier replies are missing. */
  answer(reply: Buffer): boolean;
  /** Takes no request until `work` is over; it must not reject. */
  waitFor(work: Promise<void>): void;
}

/** CLIENT, answered by the proxy: it knows its clients, and the engine knows only connections that they share. */
export function handleClient(session: ClientSession, args: readonly Buffer[]): boolean {
  const { identity, endpoint } = session;
  const { name, settings } = identity;
  const subcommand = keyword(args[1]);
  // the engine knows the rights of its other users, and is not asked here
  if (identity.user !== undefined && ABOUT_OTHERS.has(subcommand))
    return session.answer(notPermitted(`client|${subcommand.toLowerCase()}`));
  switch (subcommand) {
    case "SETNAME":
      return session.answer(setName(identity, args));
    case "GETNAME":
      return session.answer(bulkReply(name.length === 0 ? undefined : name, settings.protocol));
    case "SETINFO":
      return session.answer(setInfo(identity, args));
    case "ID":
      return session.answer(integerReply(identity.id));
    case "INFO":
      return session.answer(bulkReply(textOf(describe(session, endpoint.clock.uptimeMs())), settings.protocol));
    case "LIST":
      return session.answer(listClients(session, args.slice(2)));
    case "KILL":
      return session.answer(killClients(session, args.slice(2)));
    case "UNBLOCK":
      return unblock(session, args);
    case "PAUSE":
      return pause(session, args);
    case "UNPAUSE":
      endpoint.pause.end();
      return session.answer(replies.ok);
    case "REPLY":
      return setReplies(session, keyword(args[2]));
    default: // NO-EVICT
      return session.answer(/^(ON|OFF)$/.test(keyword(args[2])) ? replies.ok : replies.syntax);
  }
}

/** What concerns other clients is for administrators. */
const ABOUT_OTHERS: ReadonlySet<string> = new Set(["LIST", "KILL", "UNBLOCK", "PAUSE", "UNPAUSE"]);

function setName(identity: ClientIdentity, args: readonly Buffer[]): Buffer {
  const name = args[2];
  if (name === undefined || args.length !== 3) return replies.syntax;
  if (name.some((byte) => byte < 33 || byte > 126))
    return errorReply("ERR Client names cannot contain spaces, newlines or special characters.");
  identity.name = Buffer.from(name);
  return replies.ok;
}

function setInfo(identity: ClientIdentity, [, , option, value, extra]: readonly Buffer[]): Buffer {
  if (value === undefined || extra !== undefined) return replies.syntax;
  const name = keyword(option);
  if (name !== "LIB-NAME" && name !== "LIB-VER") return errorReply(`ERR Unrecognized option '${textIn(option)}'`);
  if (value.some((byte) => byte < 33 || byte > 126))
    return errorReply(`ERR ${name.toLowerCase()} cannot contain spaces, newlines or special characters.`);
  identity.library = { ...identity.library, [name === "LIB-NAME" ? "name" : "version"]: textIn(value) };
  return replies.ok;
}

function listClients({ endpoint, identity }: ClientSession, args: readonly Buffer[]): Buffer {
  const now = endpoint.clock.uptimeMs();
  const [option, ...values] = args;
  const name = keyword(option);
  const filters = values.map((value) => filterOf(name, value, now)).filter((filter) => filter !== undefined);
  const isValid = option === undefined || name === "ID" || (name === "TYPE" && values.length === 1);
  if (!isValid || filters.length < values.length || (option !== undefined && values.length === 0))
    return replies.syntax;
  const listed = [...endpoint.clients].filter(
    (client) => filters.length === 0 || filters.some((filter) => filter(client)),
  );
  const lines = listed.map((client) => describe(client, now)).join("");
  return bulkReply(textOf(lines), identity.settings.protocol);
}

function unblock(session: ClientSession, [, , id, how, extra]: readonly Buffer[]): boolean {
  const mode = how === undefined ? "TIMEOUT" : keyword(how);
  if (extra !== undefined || (mode !== "TIMEOUT" && mode !== "ERROR")) return session.answer(replies.syntax);
  if (!/^\d+$/.test(textIn(id))) return session.answer(replies.noInteger);
  const client = [...session.endpoint.clients].find(({ identity }) => identity.id === Number(textIn(id)));
  const unblocking = client?.pinned.current?.unblock(mode) ?? Promise.resolve(false);
  session.waitFor(
    unblocking.then((unblocked) => {
      session.answer(integerReply(unblocked ? 1 : 0));
    }),
  );
  return true;
}

function pause(session: ClientSession, [, , ms, mode, extra]: readonly Buffer[]): boolean {
  const word = mode === undefined ? "ALL" : keyword(mode);
  if (!/^\d{1,12}$/.test(textIn(ms)))
    return session.answer(errorReply("ERR timeout is not an integer or out of range"));
  if (extra !== undefined || (word !== "ALL" && word !== "WRITE"))
    return session.answer(errorReply("ERR CLIENT PAUSE mode must be WRITE or ALL"));
  const answered = session.answer(replies.ok);
  if (answered) session.endpoint.pause.begin(word === "ALL" ? "all" : "writes", Number(textIn(ms)));
  return answered;
}

/** OFF and SKIP are not answered. */
function setReplies(session: ClientSession, mode: string): boolean {
  if (mode !== "ON" && mode !== "OFF" && mode !== "SKIP") return session.answer(replies.syntax);
  if (mode === "SKIP" && session.replyMode.silent) return true;
  session.replyMode.set(mode === "ON" ? "on" : mode === "OFF" ? "off" : "skip");
  return mode !== "ON" || session.answer(replies.ok);
}

function textOf(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

function textIn(bytes: Buffer | undefined): string {
  return bytes?.toString("latin1") ?? "";
}
