import { keyword } from "../protocol/arguments.ts";
import { errorReply, replies } from "../protocol/replies.ts";
import { filterOf } from "./listed-client.ts";
import type { ClientFilter } from "./listed-client.ts";

/** What a client asks of all clients of its database. */
export type ClientsAction =
  /** Those that any filter means; all when there is none. */
  | { readonly kind: "list"; readonly filters: readonly ClientFilter[] }
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
export function clientsAction([subcommand, ...args]: readonly Buffer[]): ClientsAction | Buffer {
  switch (keyword(subcommand)) {
    case "LIST":
      return listOf(args);
    case "KILL":
      return killOf(args);
    case "UNBLOCK":
      return unblockOf(args);
    case "PAUSE":
      return pauseOf(args);
    case "UNPAUSE":
      return { kind: "unpause" };
    default:
      return replies.syntax;
  }
}

function listOf([option, ...values]: readonly Buffer[]): ClientsAction | Buffer {
  if (option === undefined) return { kind: "list", filters: [] };
  const name = keyword(option);
  const filters = values.map((value) => filterOf(name, value)).filter((filter) => filter !== undefined);
  const isValid = name === "ID" || (name === "TYPE" && values.length === 1);
  if (!isValid || filters.length < values.length || values.length === 0) return replies.syntax;
  return { kind: "list", filters };
}

function killOf(args: readonly Buffer[]): ClientsAction | Buffer {
  const [address] = args;
  if (address === undefined) return replies.syntax;
  if (args.length === 1) {
    const filter: ClientFilter = ({ identity }) => identity.address === address.toString("latin1");
    return { kind: "kill", filters: [filter], skipsOwn: false, byAddress: true };
  }
  const filters: ClientFilter[] = [];
  let skipsOwn = true;
  for (let i = 0; i < args.length; i += 2) {
    const [name, value] = [keyword(args[i]), args[i + 1]];
    const filter = value === undefined ? undefined : filterOf(name, value);
    if (filter !== undefined) filters.push(filter);
    else if (name === "SKIPME" && /^(YES|NO)$/.test(keyword(value))) skipsOwn = keyword(value) === "YES";
    else return replies.syntax;
  }
  return { kind: "kill", filters, skipsOwn, byAddress: false };
}

function unblockOf([id, how, extra]: readonly Buffer[]): ClientsAction | Buffer {
  const mode = how === undefined ? "TIMEOUT" : keyword(how);
  if (extra !== undefined || (mode !== "TIMEOUT" && mode !== "ERROR")) return replies.syntax;
  const text = id?.toString("latin1") ?? "";
  return /^\d+$/.test(text) ? { kind: "unblock", id: Number(text), how: mode } : replies.noInteger;
}

function pauseOf([ms, mode, extra]: readonly Buffer[]): ClientsAction | Buffer {
  const word = mode === undefined ? "ALL" : keyword(mode);
  const text = ms?.toString("latin1") ?? "";
  if (!/^\d{1,12}$/.test(text)) return errorReply("ERR timeout is not an integer or out of range");
  if (extra !== undefined || (word !== "ALL" && word !== "WRITE"))
    return errorReply("ERR CLIENT PAUSE mode must be WRITE or ALL");
  return { kind: "pause", mode: word === "ALL" ? "all" : "writes", ms: Number(text) };
}
