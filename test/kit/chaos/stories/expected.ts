import { isDeepStrictEqual } from "node:util";
import type { Answered, Period, Step } from "./story.ts";

/** What a command has to be answered on what its key holds, and what the key holds then. */
export interface Expected {
  /** In words, for the reader of a failure. */
  readonly text: string;
  fits(reply: Answered): boolean;
  /** Called once at most, with a reply that fits: it may change the entry in place. */
  after(reply: Answered): Entry | undefined;
}

/** What a key holds. */
export interface Entry {
  readonly value: Value;
  /** Between these two moments the key expires, in nanoseconds; undefined: never. */
  readonly deadline: Period | undefined;
}

export type Value =
  | { readonly kind: "string"; readonly text: string }
  | { readonly kind: "hash"; readonly fields: Map<string, string> }
  | { readonly kind: "list"; readonly items: string[] }
  | { readonly kind: "set"; readonly members: Set<string> }
  | { readonly kind: "zset"; readonly scores: Map<string, number> }
  | { readonly kind: "stream"; readonly stream: Stream };

export interface Stream {
  readonly entries: StreamEntry[];
  readonly groups: Map<string, Group>;
}

export interface StreamEntry {
  readonly id: string;
  readonly fields: readonly string[];
}

export interface Group {
  /** How many of the entries were given out. */
  given: number;
  /** Who has an entry that is not acknowledged. */
  readonly pending: Map<string, string>;
}

/** When the request was under way. */
export type Moment = Pick<Step, "begin" | "end">;

/** How a command is answered; `args` are those behind its name. */
export type Handler = (entry: Entry | undefined, args: readonly string[], moment: Moment) => Expected;

/** Exactly this reply. */
export function exactly(reply: Answered, after: () => Entry | undefined): Expected {
  return { text: JSON.stringify(reply), fits: (given) => isDeepStrictEqual(given, reply), after };
}

/** The error that a command for another type of value gets. */
export function wrongType(entry: Entry | undefined): Expected {
  return refusal(entry, "WRONGTYPE");
}

/** The error that a command for whole numbers gets: `01` is none. */
export function notInteger(entry: Entry | undefined): Expected {
  return refusal(entry, "ERR value is not an integer or out of range");
}

function refusal(entry: Entry | undefined, text: string): Expected {
  const fits = (given: Answered): boolean =>
    given !== null && typeof given === "object" && "error" in given && given.error.startsWith(text);
  return { text, fits, after: () => entry };
}

/** A value that expires when the one before would have. */
export function kept(entry: Entry | undefined, value: Value): Entry {
  return { value, deadline: entry?.deadline };
}
