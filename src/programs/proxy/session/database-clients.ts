import { assertNever } from "#kit/base/assert-never";
import { CLIENTS_REQUEST_WORDS, CLIENTS_WORD_BYTES } from "../../../ports/management/clients-question.ts";
import type { ClientsOutcome, OtherClients } from "../../../ports/management/clients-question.ts";
import { nodeOfClient } from "../client/identity.ts";
import { keyword } from "../protocol/arguments.ts";
import { bulkReply, errorReply, integerReply, replies } from "../protocol/replies.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import { actOnClients, isMeant } from "./act-on-clients.ts";
import type { LocalClients } from "./act-on-clients.ts";
import { ANY_FILTERS, filtersFor } from "./client-filters.ts";
import { clientsAction } from "./clients-action.ts";
import type { ClientsAction } from "./clients-action.ts";
import type { ListedClient } from "./listed-client.ts";
import { anyRoute, type Routes } from "../upstream/only-route.ts";

/** What asking for all clients of a database needs of the session that asks. */
export interface AskingSession extends ListedClient {
  readonly endpoint: LocalClients & {
    readonly routes: Routes<Pick<PrimaryView, "held" | "upstream">>;
    /** uid of this node. */
    readonly place: { readonly node: number };
    /** No other worker of this node has clients of the database. */
    /** Carries out the request at the other nodes and workers, or at those of `node` alone; it does not reject. */
    askOthers(request: readonly Buffer[], node?: number): Promise<readonly OtherClients[]>;
  };
}

/** The answer to CLIENT LIST, KILL, UNBLOCK, PAUSE or UNPAUSE, without the first word: for the clients of the database at all nodes. */
export function answerClients(session: AskingSession, request: readonly Buffer[]): Buffer | Promise<Buffer> {
  if (request.length > CLIENTS_REQUEST_WORDS || request.some(({ length }) => length > CLIENTS_WORD_BYTES))
    return TOO_MANY;
  const named: string[] = [];
  const isUser = (name: string): boolean => named.push(name) > 0;
  const action = clientsAction(request, { ...ANY_FILTERS, isUser });
  const isFiltered = request.length > 2 && FILTERED.has(keyword(request[0]));
  if (!isFiltered) return answerAction(session, request, action);
  return filtersFor(anyRoute(session.endpoint).upstream, named).then((known) =>
    answerAction(session, request, clientsAction(request, known)),
  );
}

const FILTERED: ReadonlySet<string> = new Set(["LIST", "KILL"]);

function answerAction(
  session: AskingSession,
  request: readonly Buffer[],
  action: ClientsAction | Buffer,
): Buffer | Promise<Buffer> {
  if (Buffer.isBuffer(action)) return action;
  const endsItself = action.kind === "kill" && isOwnKilled(session, action);
  return askEverywhere(session, action, request).then((reply) => {
    // the client still gets this reply, and no request behind it is taken
    if (endsItself) session.life.finish();
    return reply;
  });
}

const TOO_MANY = errorReply(
  `ERR store: an endpoint takes at most ${CLIENTS_REQUEST_WORDS} arguments of ${CLIENTS_WORD_BYTES} bytes here`,
);

async function askEverywhere(
  session: AskingSession,
  action: ClientsAction,
  request: readonly Buffer[],
): Promise<Buffer> {
  const { endpoint, identity } = session;
  const only = action.kind === "unblock" ? nodeOfClient(action.id) : undefined;
  const isHere = only === undefined || only === endpoint.place.node;
  const [own, others] = await Promise.all([
    isHere ? actOnClients(endpoint, action, session) : { lines: "", count: 0 },
    endpoint.askOthers(request, only),
  ]);
  const outcomes = [{ node: endpoint.place.node, ...own }, ...others].toSorted((a, b) => a.node - b.node);
  const done = outcomes.flatMap((outcome) => ("missing" in outcome ? [] : [outcome]));
  const missing = outcomes.flatMap((outcome) => ("missing" in outcome ? [outcome] : []));
  return replyOf(action, mergeOutcomes(done), missing, identity.settings.protocol);
}

function isOwnKilled(session: AskingSession, action: ClientsAction & { readonly kind: "kill" }): boolean {
  return isMeant(action, session, session, session.endpoint.clock.uptimeMs());
}

function mergeOutcomes(outcomes: readonly ClientsOutcome[]): ClientsOutcome {
  return {
    lines: outcomes.map(({ lines }) => lines).join(""),
    count: outcomes.reduce((sum, { count }) => sum + count, 0),
  };
}

function replyOf(
  action: ClientsAction,
  { lines, count }: ClientsOutcome,
  missing: readonly { readonly node: number; readonly missing: string }[],
  protocol: number,
): Buffer {
  const [first] = missing;
  // a list is of those that answered
  if (action.kind === "list") return bulkReply(Buffer.from(lines, "latin1"), protocol);
  if (first !== undefined)
    return errorReply(
      `ERR store: node ${first.node} did not answer: ${first.missing}; ${doneElsewhere(action, count)}`,
    );
  if (action.kind === "unblock") return integerReply(count);
  if (action.kind !== "kill") return replies.ok;
  if (!action.byAddress) return integerReply(count);
  return count > 0 ? replies.ok : errorReply("ERR No such client");
}

type ChangingAction = Exclude<ClientsAction, { readonly kind: "list" }>;

function doneElsewhere({ kind }: ChangingAction, count: number): string {
  switch (kind) {
    case "kill":
      return `${count} clients of the other nodes were ended`;
    case "unblock":
      return "the client may still be blocked";
    case "pause":
      return "the clients of the other nodes are paused";
    case "unpause":
      return "the clients of the other nodes go on";
    default:
      return assertNever(kind);
  }
}
