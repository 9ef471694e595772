import { keyword } from "../protocol/arguments.ts";
import { bulkReply, errorReply, integerReply, replies } from "../protocol/replies.ts";
import type { Session } from "./session.ts";

/** CLIENT, answered for the client's own connection: what the engine sees is shared, and is not the client's to manage. */
export function treatClient(session: Session, args: readonly Buffer[]): boolean {
  const { identity } = session;
  const subcommand = keyword(args[1]);
  switch (subcommand) {
    case "SETNAME":
      return setName(session, args);
    case "GETNAME":
      return session.local(bulkReply(identity.name.length === 0 ? undefined : identity.name, identity.place.protocol));
    case "SETINFO":
      return session.local(args.length === 4 ? replies.ok : replies.syntax);
    case "ID":
      return session.local(integerReply(identity.id));
    case "INFO":
      return session.local(bulkReply(Buffer.from(describe(session), "latin1"), identity.place.protocol));
    case "REPLY":
      if (keyword(args[2]) === "ON") return session.local(replies.ok);
      return session.local(refusal(subcommand));
    default:
      return session.local(refusal(subcommand));
  }
}

function setName(session: Session, args: readonly Buffer[]): boolean {
  const name = args[2];
  if (name === undefined || args.length !== 3) return session.local(replies.syntax);
  if (name.some((byte) => byte < 33 || byte > 126))
    return session.local(errorReply("ERR Client names cannot contain spaces, newlines or special characters."));
  session.identity.name = Buffer.from(name);
  return session.local(replies.ok);
}

function describe({ identity }: Session): string {
  const { id, address, name, place, user } = identity;
  return (
    `id=${id} addr=${address} name=${name.toString("latin1")} db=${place.database} ` +
    `resp=${place.protocol} user=${user?.name.toString("latin1") ?? "default"}\n`
  );
}

function refusal(subcommand: string): Buffer {
  const name = /^[A-Z-]{1,20}$/.test(subcommand) ? ` ${subcommand}` : "";
  return errorReply(`ERR store: CLIENT${name} is not available at an endpoint`);
}
