import type { ConnectionEnds } from "../client/vanished-clients.ts";
import { END_STEPS, type InTurns } from "../timing/in-turns.ts";

/** A client that may have vanished. */
interface CuttableClient {
  readonly identity: ConnectionEnds;
  readonly life: { cut(why: string, isUnread: boolean): void };
}

/** Ends the connections of clients that have vanished, a few at a time: those of thousands would keep all others waiting. */
export function cutVanished(
  inTurns: InTurns,
  clients: ReadonlySet<CuttableClient>,
  hasVanished: (client: ConnectionEnds) => boolean,
): Promise<void> {
  return inTurns.each(clients, (client) => {
    if (!hasVanished(client.identity)) return 1;
    client.life.cut("the client has vanished: it acknowledges nothing", true);
    return END_STEPS;
  });
}
