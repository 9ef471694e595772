import type { ClientIdentity } from "../client/identity.ts";
import { keyword } from "../protocol/arguments.ts";
import { bulkReply, errorReply, integerReply, replies } from "../protocol/replies.ts";

/** What CLIENT needs of its session. */
export interface NamedSession {
  readonly identity: ClientIdentity;
  /** Answers in the engine's place; false when earlier replies are missing. */
  answer(reply: Buffer): boolean;
}

/** CLIENT, answered for the client's own connection: the connection to the engine is shared, and not the client's to manage. */
export function handleClient(session: NamedSession, args: readonly Buffer[]): boolean {
  const { identity } = session;
  const { name, settings } = identity;
  const subcommand = keyword(args[1]);
  switch (subcommand) {
    case "SETNAME":
      return setName(session, args);
    case "GETNAME":
      return session.answer(bulkReply(name.length === 0 ? undefined : name, settings.protocol));
    case "SETINFO":
      return session.answer(args.length === 4 ? replies.ok : replies.syntax);
    case "ID":
      return session.answer(integerReply(identity.id));
    default:
      return session.answer(bulkReply(Buffer.from(describe(identity), "latin1"), settings.protocol));
  }
}

function setName(session: NamedSession, args: readonly Buffer[]): boolean {
  const name = args[2];
  if (name === undefined || args.length !== 3) return session.answer(replies.syntax);
  if (name.some((byte) => byte < 33 || byte > 126))
    return session.answer(errorReply("ERR Client names cannot contain spaces, newlines or special characters."));
  session.identity.name = Buffer.from(name);
  return session.answer(replies.ok);
}

function describe({ id, address, name, settings, user }: ClientIdentity): string {
  return (
    `id=${id} addr=${address} name=${name.toString("latin1")} db=${settings.database} ` +
    `resp=${settings.protocol} user=${user?.name.toString("latin1") ?? "default"}\n`
  );
}
