import type { Clock } from "../../../core/base/clock.ts";
import { keyword } from "../protocol/arguments.ts";
import { errorReply, integerReply, replies } from "../protocol/replies.ts";
import { filterOf } from "./listed-client.ts";
import type { ClientFilter, ListedClient } from "./listed-client.ts";

/** What CLIENT KILL needs of its session. */
export interface KillingClient extends ListedClient {
  readonly endpoint: { readonly clock: Clock; readonly clients: ReadonlySet<ListedClient> };
}

/** CLIENT KILL, for the clients of this endpoint at this proxy; the reply. */
export function killClients(session: KillingClient, args: readonly Buffer[]): Buffer {
  const { clients, clock } = session.endpoint;
  const [address] = args;
  if (address !== undefined && args.length === 1) {
    const found = [...clients].filter(({ identity }) => identity.address === address.toString("latin1"));
    kill(found, session);
    return found.length > 0 ? replies.ok : errorReply("ERR No such client");
  }
  const parsed = parse(args, clock.uptimeMs());
  if (parsed === undefined) return replies.syntax;
  const found = [...clients].filter(
    (client) => !(parsed.skipsOwn && client === session) && parsed.filters.every((filter) => filter(client)),
  );
  kill(found, session);
  return integerReply(found.length);
}

function parse(
  args: readonly Buffer[],
  now: number,
): { readonly filters: readonly ClientFilter[]; readonly skipsOwn: boolean } | undefined {
  const filters: ClientFilter[] = [];
  let skipsOwn = true;
  for (let i = 0; i < args.length; i += 2) {
    const [name, value] = [keyword(args[i]), args[i + 1]];
    const filter = value === undefined ? undefined : filterOf(name, value, now);
    if (filter !== undefined) filters.push(filter);
    else if (name === "SKIPME" && /^(YES|NO)$/.test(keyword(value))) skipsOwn = keyword(value) === "YES";
    else return undefined;
  }
  return args.length === 0 ? undefined : { filters, skipsOwn };
}

/** The client that asks gets the reply before its end. */
function kill(clients: readonly ListedClient[], own: ListedClient): void {
  for (const client of clients) {
    if (client !== own) client.destroy();
    else
      setImmediate(() => {
        own.finish();
      });
  }
}
