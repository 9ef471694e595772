import { DEFAULT_USER } from "../../../core/api/engine-login.ts";
import type { ClientIdentity } from "../client/identity.ts";
import type { SessionParts } from "../client/session-parts.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { keyword } from "../protocol/arguments.ts";
import { bulkReply, replies } from "../protocol/replies.ts";
import { answerInside, type ClusterSession } from "./cluster-commands.ts";
import { answerClient } from "./client-command.ts";
import type { ClientSession } from "./client-command.ts";
import { answerConfigSet } from "./config-set.ts";
import type { SettingSession } from "./config-set.ts";
import { answerConfigGet } from "./config-view.ts";
import type { ViewingSession } from "./config-view.ts";
import type { ReplyMode } from "./reply-mode.ts";

/** The parts of a session whose proxy answers in the engine's place. */
export interface AnsweredSession extends ClientSession, ViewingSession, SettingSession {
  readonly endpoint: ClientSession["endpoint"] &
    ViewingSession["endpoint"] &
    SettingSession["endpoint"] &
    Pick<ClusterSession["endpoint"], "place">;
  readonly replyMode: ReplyMode;
  readonly turns: Pick<SessionParts["turns"], "answer" | "waitFor">;
  readonly work: SessionParts["work"];
}

/** Answers CLIENT, CONFIG or ACL WHOAMI; false when that cannot be done yet. */
export function giveOwnAnswer(session: AnsweredSession, request: Buffer): boolean {
  if (session.work.hasPending) return false;
  const args = requestArguments(request);
  if (keyword(args[0]) === "CLIENT" && keyword(args[1]) === "REPLY") return setReplies(session, keyword(args[2]));
  const given = ownAnswer(session, args);
  if (Buffer.isBuffer(given)) return session.turns.answer(given);
  session.turns.waitFor(given.then((reply) => void session.turns.answer(reply)));
  return true;
}

/** The answer to CLIENT, CONFIG, ACL WHOAMI or a command of a cluster in a transaction that is executed now. */
export async function ownAnswerNow(session: AnsweredSession, request: Buffer): Promise<Buffer> {
  return ownAnswer(session, requestArguments(request));
}

function ownAnswer(session: AnsweredSession, args: readonly Buffer[]): Buffer | Promise<Buffer> {
  switch (keyword(args[0])) {
    case "CLIENT":
      return answerClient(session, args);
    case "CONFIG":
      return keyword(args[1]) === "SET" ? answerConfigSet(session, args) : answerConfigGet(session, args);
    case "CLUSTER":
    case "READONLY":
    case "READWRITE":
    case "ASKING":
      return answerInside(session, args);
    default: // ACL WHOAMI
      return userOf(session.identity);
  }
}

/** OFF and SKIP are not answered. */
function setReplies(session: AnsweredSession, mode: string): boolean {
  if (mode !== "ON" && mode !== "OFF" && mode !== "SKIP") return session.turns.answer(replies.syntax);
  if (mode === "SKIP" && session.replyMode.isOff) return true;
  session.replyMode.set(mode === "ON" ? "on" : mode === "OFF" ? "off" : "skip");
  return mode !== "ON" || session.turns.answer(replies.ok);
}

function userOf({ user, settings }: ClientIdentity): Buffer {
  return bulkReply(user?.name ?? Buffer.from(DEFAULT_USER), settings.protocol);
}
