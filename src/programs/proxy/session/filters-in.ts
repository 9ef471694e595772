import { keyword } from "../protocol/arguments.ts";
import { integerIn } from "../protocol/integers.ts";
import { errorReply, replies } from "../protocol/replies.ts";
import type { ClientFilters } from "./client-filters.ts";
import { filterOf, type ClientFilter } from "./listed-client.ts";

/** Any filters in any order; an engine's error when a word is none. */
export function filtersIn(args: readonly Buffer[], known: ClientFilters): FoundFilters | Buffer {
  const filters: ClientFilter[] = [];
  const ids = new Set<bigint>();
  let skipsOwn: boolean | undefined;
  for (let at = 0; at < args.length;) {
    const name = keyword(args[at]);
    const [first, ...more] = args.slice(at + 1, at + 1 + (name === "ID" && known.areAlike ? idsBehind(args, at) : 1));
    if (first === undefined) return replies.syntax;
    at += 2 + more.length;
    const filter = name === "ID" ? idsOf([first, ...more], ids) : knownFilter(name, first, known);
    if (Buffer.isBuffer(filter)) return filter;
    if (filter !== undefined) filters.push(filter);
    else if (name === "SKIPME" && /^(YES|NO)$/.test(keyword(first))) skipsOwn = keyword(first) === "YES";
    else return replies.syntax;
  }
  return { filters, skipsOwn };
}

/** The filters of a list at older engines: numbers or a type; a number that no client has means no client. */
export function formerFilters([option, ...values]: readonly Buffer[]): FoundFilters | Buffer {
  const [first] = values;
  const name = keyword(option);
  if (first === undefined || (name !== "ID" && (name !== "TYPE" || values.length > 1))) return replies.syntax;
  if (name === "TYPE") {
    const filter = filterOf(name, first);
    return filter === undefined || Buffer.isBuffer(filter) ? (filter ?? replies.syntax) : only(filter);
  }
  const ids = values.map((word) => integerIn(textOf(word)));
  return ids.includes(undefined) ? errorReply("ERR Invalid client ID") : only(withId(new Set(ids)));
}

/** What the words behind CLIENT LIST or CLIENT KILL mean. */
export interface FoundFilters {
  readonly filters: readonly ClientFilter[];
  /** What SKIPME says. */
  readonly skipsOwn: boolean | undefined;
}

function only(filter: ClientFilter): FoundFilters {
  return { filters: [filter], skipsOwn: undefined };
}

function knownFilter(name: string, value: Buffer, { hasMaxAge, isUser }: ClientFilters) {
  if (name === "MAXAGE" && !hasMaxAge) return undefined;
  if (name === "USER" && !isUser(textOf(value))) return errorReply(`ERR No such user '${textOf(value)}'`);
  return filterOf(name, value);
}

/** How many words behind ID are numbers. */
function idsBehind(args: readonly Buffer[], at: number): number {
  let end = at + 1;
  while (integerIn(textOf(args[end])) !== undefined) end++;
  return end - at - 1;
}

/** Means the clients with one of these numbers, or with one in `ids`. */
function idsOf(words: readonly Buffer[], ids: Set<bigint>): ClientFilter | Buffer {
  for (const word of words) {
    const id = integerIn(textOf(word));
    if (id === undefined || id <= 0n) return errorReply("ERR client-id should be greater than 0");
    ids.add(id);
  }
  return withId(ids);
}

function withId(ids: ReadonlySet<bigint | undefined>): ClientFilter {
  return ({ identity }) => ids.has(BigInt(identity.id));
}

function textOf(bytes: Buffer | undefined): string {
  return bytes?.toString("latin1") ?? "";
}
