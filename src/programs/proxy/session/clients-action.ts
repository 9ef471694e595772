import { keyword } from "../protocol/arguments.ts";
import { integerIn } from "../protocol/integers.ts";
import { errorReply, replies, wrongNumber } from "../protocol/replies.ts";
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
      return args.length > 2 ? notOf(subcommand) : unblockOf(args);
    case "PAUSE":
      return args.length > 2 ? notOf(subcommand) : pauseOf(args);
    case "UNPAUSE":
      return { kind: "unpause" };
    default:
      return replies.syntax;
  }
}

function listOf([option, ...values]: readonly Buffer[]): ClientsAction | Buffer {
  if (option === undefined) return { kind: "list", filters: [] };
  const name = keyword(option);
  const isValid = (name === "ID" && values.length > 0) || (name === "TYPE" && values.length === 1);
  if (!isValid) return replies.syntax;
  const filters: ClientFilter[] = [];
  for (const value of values) {
    const filter = name === "ID" ? listedId(textOf(value)) : filterOf(name, value);
    if (filter === undefined || Buffer.isBuffer(filter)) return filter ?? replies.syntax;
    filters.push(filter);
  }
  return { kind: "list", filters };
}

/** A list takes any number, and shows none for one that no client has. */
function listedId(text: string): ClientFilter | Buffer {
  const id = integerIn(text);
  return id === undefined ? errorReply("ERR Invalid client ID") : ({ identity }) => BigInt(identity.id) === id;
}

function killOf(args: readonly Buffer[]): ClientsAction | Buffer {
  const [address] = args;
  if (address === undefined) return wrongNumber("CLIENT|KILL");
  if (args.length === 1) {
    const filter: ClientFilter = ({ identity }) => identity.address === textOf(address);
    return { kind: "kill", filters: [filter], skipsOwn: false, byAddress: true };
  }
  const filters: ClientFilter[] = [];
  let skipsOwn = true;
  for (let i = 0; i < args.length; i += 2) {
    const [name, value] = [keyword(args[i]), args[i + 1]];
    const filter = value === undefined ? undefined : filterOf(name, value);
    if (Buffer.isBuffer(filter)) return filter;
    if (filter !== undefined) filters.push(filter);
    else if (name === "SKIPME" && /^(YES|NO)$/.test(keyword(value))) skipsOwn = keyword(value) === "YES";
    else return replies.syntax;
  }
  return { kind: "kill", filters, skipsOwn, byAddress: false };
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
