import { setImmediate as nextTurn } from "node:timers/promises";
import type { ConnectionEnds } from "../client/vanished-clients.ts";

/** A client that may have vanished. */
interface CuttableClient {
  readonly identity: ConnectionEnds;
  cut(why: string, isUnread: boolean): void;
}

/** Ends the connections of clients that have vanished, a few at a time: those of thousands would keep all others waiting. */
export async function cutVanished(
  clients: Iterable<CuttableClient>,
  hasVanished: (client: ConnectionEnds) => boolean,
): Promise<void> {
  let work = 0;
  for (const client of [...clients]) {
    const isCut = hasVanished(client.identity);
    if (isCut) client.cut("the client has vanished: it acknowledges nothing", true);
    work += isCut ? CUT_COSTS : 1;
    if (work < WORK_AT_ONCE) continue;
    work = 0;
    await nextTurn();
  }
}

/** To end a connection takes as long as to look at so many, about 0.1 ms. */
const CUT_COSTS = 128;
const WORK_AT_ONCE = 512;
