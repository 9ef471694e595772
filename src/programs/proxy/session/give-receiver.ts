import type { ClientsOutcome } from "../../../ports/management/clients-question.ts";
import type { ListedClient } from "./listed-client.ts";

/** Whether the proxy of another client asks for a connection that takes invalidations. */
export function asksReceiver([first]: readonly string[]): boolean {
  return first === REDIRECT;
}

/** The answer: the number of the connection as a count, 0 when the client is not here. */
export async function giveReceiver(
  { clients }: { readonly clients: ReadonlySet<ListedClient> },
  [, id = "", engine = "", how = "", user]: readonly string[],
): Promise<ClientsOutcome> {
  const client = [...clients].find(({ identity }) => String(identity.id) === id);
  if (client === undefined || (user !== undefined && client.identity.user?.name.toString("latin1") !== user))
    return NO_CLIENT;
  return { lines: "", count: await client.invalidations.open(engine, how === MOVED) };
}

/** What the proxy of one client asks that of another; `user` when only clients of that user are meant. */
export function receiverRequest(
  target: number,
  engine: string,
  isMoved: boolean,
  user: string | undefined,
): readonly string[] {
  return [REDIRECT, String(target), engine, isMoved ? MOVED : "NEW", ...(user === undefined ? [] : [user])];
}

const REDIRECT = "REDIRECT";
const MOVED = "MOVED";
const NO_CLIENT: ClientsOutcome = { lines: "", count: 0 };
