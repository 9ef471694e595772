import { keyword } from "../protocol/arguments.ts";
import { integerIn } from "../protocol/integers.ts";
import { errorReply, replies, wrongNumber } from "../protocol/replies.ts";
import type { ClientFilters } from "./client-filters.ts";
import { filtersIn, formerFilters } from "./filters-in.ts";
import type { ClientFilter } from "./listed-client.ts";

/** What a client asks of all clients of its database. */
export type ClientsAction =
  /** Those that every filter means; all when there is none. */
  | { readonly kind: "list"; readonly filters: readonly ClientFilter[]; readonly skipsOwn: boolean }
  /** Those that every filter means; `byAddress` is the form with an address alone. */
  | {
      readonly kind: "kill";
      readonly filters: readonly ClientFilter[];
      readonly skipsOwn: boolean;
      readonly byAddress: boolean;
    }
  | { readonly kind: "unblock"; readonly id: number; readonly how: "TIMEOUT" | "ERROR" }
  | { readonly kind: "pause"; readonly mode: "writes" | "all"; readonly ms: number }
  | { readonly kind: "unpause" };

/** The action of CLIENT LIST, KILL, UNBLOCK, PAUSE or UNPAUSE, without the first word; an engine's error when it is none. */
export function clientsAction([subcommand, ...args]: readonly Buffer[], known: ClientFilters): ClientsAction | Buffer {
  switch (keyword(subcommand)) {
    case "LIST":
      return listOf(args, known);
    case "KILL":
      return killOf(args, known);
    case "UNBLOCK":
      return args.length > 2 ? notOf(subcommand) : unblockOf(args);
    case "PAUSE":
      return args.length > 2 ? notOf(subcommand) : pauseOf(args);
    case "UNPAUSE":
      return { kind: "unpause" };
    default:
      return replies.syntax;
  }
}

function listOf(args: readonly Buffer[], known: ClientFilters): ClientsAction | Buffer {
  const found = known.areAlike || args.length === 0 ? filtersIn(args, known) : formerFilters(args);
  return Buffer.isBuffer(found) ? found : { kind: "list", filters: found.filters, skipsOwn: found.skipsOwn === true };
}

function killOf(args: readonly Buffer[], known: ClientFilters): ClientsAction | Buffer {
  const [address] = args;
  if (address === undefined) return wrongNumber("CLIENT|KILL");
  if (args.length === 1) {
    const filter: ClientFilter = ({ identity }) => identity.address === textOf(address);
    return { kind: "kill", filters: [filter], skipsOwn: false, byAddress: true };
  }
  const found = filtersIn(args, known);
  if (Buffer.isBuffer(found)) return found;
  return { kind: "kill", filters: found.filters, skipsOwn: found.skipsOwn !== false, byAddress: false };
}

function unblockOf([id, how]: readonly Buffer[]): ClientsAction | Buffer {
  const mode = how === undefined ? "TIMEOUT" : keyword(how);
  if (mode !== "TIMEOUT" && mode !== "ERROR") return errorReply("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
  const number = integerIn(textOf(id));
  return number === undefined ? replies.noInteger : { kind: "unblock", id: Number(number), how: mode };
}

function pauseOf([timeout, mode]: readonly Buffer[]): ClientsAction | Buffer {
  const word = mode === undefined ? "ALL" : keyword(mode);
  if (word !== "ALL" && word !== "WRITE") return errorReply("ERR CLIENT PAUSE mode must be WRITE or ALL");
  const ms = integerIn(textOf(timeout));
  if (ms === undefined) return errorReply("ERR timeout is not an integer or out of range");
  if (ms < 0n) return errorReply("ERR timeout is negative");
  if (ms > LONGEST_PAUSE_MS) return errorReply("ERR timeout is out of range");
  return { kind: "pause", mode: word === "ALL" ? "all" : "writes", ms: Number(ms) };
}

/** Engines add the time of day to it, and that must be a number of 64 bits. */
const LONGEST_PAUSE_MS = 2n ** 63n - 1n - 10n ** 13n;

function textOf(bytes: Buffer | undefined): string {
  return bytes?.toString("latin1") ?? "";
}

function notOf(subcommand: Buffer | undefined): Buffer {
  return errorReply(
    `ERR unknown subcommand or wrong number of arguments for '${textOf(subcommand)}'. Try CLIENT HELP.`,
  );
}
