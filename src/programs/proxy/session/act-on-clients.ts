import { assertNever } from "../../../core/base/assert-never.ts";
import type { Clock } from "../../../core/base/clock.ts";
import type { ClientsOutcome } from "../../../ports/management/clients-question.ts";
import type { ClientPause } from "./client-pause.ts";
import type { ClientsAction } from "./clients-action.ts";
import { describe } from "./listed-client.ts";
import type { ListedClient } from "./listed-client.ts";

/** The clients of a database at this proxy. */
export interface LocalClients {
  readonly clock: Clock;
  readonly pause: ClientPause;
  readonly clients: ReadonlySet<ListedClient>;
}

/** Does it to the clients of this proxy, except that `own`, the client that asks, is counted and not ended: it gets the reply first. */
export async function actOnClients(
  local: LocalClients,
  action: ClientsAction,
  own?: ListedClient,
): Promise<ClientsOutcome> {
  const now = local.clock.uptimeMs();
  switch (action.kind) {
    case "list": {
      const { filters } = action;
      const isMeant = (client: ListedClient): boolean => filters.some((filter) => filter(client, now));
      const listed = [...local.clients].filter((client) => filters.length === 0 || isMeant(client));
      return { ...NOTHING, lines: listed.map((client) => describe(client, now)).join("") };
    }
    case "kill": {
      const found = [...local.clients].filter((client) => isKilled(action, client, own, now));
      for (const client of found) if (client !== own) client.destroy();
      return { ...NOTHING, count: found.length };
    }
    case "unblock": {
      const client = [...local.clients].find(({ identity }) => identity.id === action.id);
      const unblocked = (await client?.pinned.current?.unblock(action.how)) ?? false;
      return { ...NOTHING, count: unblocked ? 1 : 0 };
    }
    case "pause":
      local.pause.begin(action.mode, action.ms);
      return NOTHING;
    case "unpause":
      local.pause.end();
      return NOTHING;
    default:
      return assertNever(action);
  }
}

const NOTHING: ClientsOutcome = { lines: "", count: 0 };

/** Whether CLIENT KILL means this client. */
export function isKilled(
  { filters, skipsOwn }: ClientsAction & { readonly kind: "kill" },
  client: ListedClient,
  own: ListedClient | undefined,
  now: number,
): boolean {
  return !(skipsOwn && client === own) && filters.every((filter) => filter(client, now));
}
