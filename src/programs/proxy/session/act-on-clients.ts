import { assertNever } from "#kit/base/assert-never";
import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import type { ClientsOutcome } from "../../../ports/management/clients-question.ts";
import { faults } from "../faults.ts";
import { END_STEPS, LINE_STEPS, type InTurns } from "../timing/in-turns.ts";
import type { ClientPause } from "./client-pause.ts";
import { ANY_FILTERS } from "./client-filters.ts";
import { clientsAction } from "./clients-action.ts";
import type { ClientsAction } from "./clients-action.ts";
import { asksReceiver, giveReceiver } from "./give-receiver.ts";
import { describe } from "./listed-client.ts";
import type { ListedClient } from "./listed-client.ts";

/** The clients of a database at this proxy. */
export interface LocalClients {
  readonly clock: Clock;
  readonly pause: ClientPause;
  readonly clients: ReadonlySet<ListedClient>;
  readonly inTurns: InTurns;
}

/** Carries out the action at the clients of this proxy; `own`, the client that asks, is counted and not ended: it gets the reply first. */
export async function actOnClients(
  local: LocalClients,
  action: ClientsAction,
  own?: ListedClient,
): Promise<ClientsOutcome> {
  const now = local.clock.uptimeMs();
  switch (action.kind) {
    case "list":
      return { ...NOTHING, lines: await linesOf(local, action, own, now) };
    case "kill":
      return { ...NOTHING, count: await kill(local, action, own, now) };
    case "unblock": {
      const client = [...local.clients].find(({ identity }) => identity.id === action.id);
      const { current, listeners } = client?.pinned ?? {};
      const unblocked = (await (current ?? listeners)?.unblock(action.how)) ?? false;
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

/** Carries out what a client of another node asks; PROXY_BAD_COMMAND when no endpoint knows the request. */
export async function actOnRequest(local: LocalClients, request: readonly string[]): Promise<ClientsOutcome> {
  if (asksReceiver(request)) return giveReceiver(local, request);
  const action = clientsAction(
    request.map((word) => Buffer.from(word, "latin1")),
    ANY_FILTERS,
  );
  if (!Buffer.isBuffer(action)) return actOnClients(local, action);
  throw new Fault(faults.badCommand, `This proxy does not know the request: ${request.join(" ")}.`, {});
}

async function linesOf(
  { clients, inTurns }: LocalClients,
  action: ClientsAction & { readonly kind: "list" },
  own: ListedClient | undefined,
  now: number,
): Promise<string> {
  // as bytes: a text that is joined from many parts is built at its end, all at once
  const lines: Buffer[] = [];
  await inTurns.each(clients, (client) => {
    if (!isMeant(action, client, own, now)) return 1;
    lines.push(Buffer.from(describe(client, now), "latin1"));
    return LINE_STEPS;
  });
  return Buffer.concat(lines).toString("latin1");
}

/** Ends the clients that CLIENT KILL means, except `own`; answers with their number. */
async function kill(
  { clients, inTurns }: LocalClients,
  action: KillAction,
  own: ListedClient | undefined,
  now: number,
): Promise<number> {
  let count = 0;
  await inTurns.each(clients, (client) => {
    if (!isMeant(action, client, own, now)) return 1;
    count++;
    if (client === own) return 1;
    client.life.destroy();
    return END_STEPS;
  });
  return count;
}

type KillAction = ClientsAction & { readonly kind: "kill" };

const NOTHING: ClientsOutcome = { lines: "", count: 0 };

/** Whether CLIENT LIST or CLIENT KILL means this client. */
export function isMeant(
  { filters, skipsOwn }: Pick<KillAction, "filters" | "skipsOwn">,
  client: ListedClient,
  own: ListedClient | undefined,
  now: number,
): boolean {
  return !(skipsOwn && client === own) && filters.every((filter) => filter(client, now));
}
