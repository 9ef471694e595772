import { assertNever } from "#kit/base/assert-never";
import { locateParts, type Words } from "../base/located-parts.ts";
import { KEYS_BY_PLACE } from "./key-places.ts";

/**
 * Where the keys of a request stand among its words, of which the name of the command is the first, in the order in which engines name them; a
 * subcommand is `XINFO|STREAM`. Empty for a command without keys, and for one that is not known here. Undefined when no
 * engine would find keys in the request.
 */
export function keysOf(command: string, words: Words): readonly number[] | undefined {
  const parts = KEYS_BY_GRAMMAR[command];
  if (parts !== undefined) return keysByGrammar(command, parts, words);
  const keys: number[] = [];
  for (const place of PLACES.get(command) ?? []) {
    const found = keysAt(place, words);
    if (found === undefined) return undefined;
    for (const each of found) keys.push(each);
  }
  return keys;
}

/** The places of the keys of a command; undefined for one whose other words say where they are, and for one without keys. */
export function keyPlacesOf(command: string): readonly KeyPlace[] | undefined {
  return PLACES.get(command);
}

/** True for a command whose keys stand at places that are known. */
export function namesKeys(command: string): boolean {
  return KEYS_BY_GRAMMAR[command] !== undefined || PLACES.has(command);
}

/** True for a command whose only key is the first word behind its name. */
export function hasOneKeyFirst(command: string): boolean {
  return ONE_KEY_FIRST.has(command);
}

/** True for a command that may name several keys. */
export function mayNameSeveralKeys(command: string): boolean {
  const parts = KEYS_BY_GRAMMAR[command];
  if (parts !== undefined) return "from" in parts || parts.at.length > 1;
  const places = PLACES.get(command) ?? [];
  return places.length > 1 || places.some((place) => place.kind === "counted" || place.from !== place.to);
}

/** Where keys stand by the grammar of a command: at the parts of these names, or from a part up to the one behind the keys. */
type KeyParts = { readonly at: readonly string[] } | { readonly from: string; readonly to: string };

/** Commands whose keys stand behind options. */
export const KEYS_BY_GRAMMAR: Readonly<Record<string, KeyParts>> = {
  GEORADIUS: { at: ["key", "storekey", "storedistkey"] },
  GEORADIUSBYMEMBER: { at: ["key", "storekey", "storedistkey"] },
  SORT: { at: ["key", "destination"] },
  SORT_RO: { at: ["key"] },
  XREAD: { from: "key", to: "id" },
  XREADGROUP: { from: "key", to: "id" },
};

function keysByGrammar(command: string, names: KeyParts, words: Words): readonly number[] | undefined {
  const parts = locateParts(command, { length: words.length - 1, wordAt: (at) => words.wordAt(at + 1) });
  if (parts === undefined) return undefined;
  if ("at" in names) return names.at.flatMap((name) => parts.get(name) ?? []).map((at) => at + 1);
  const [from, to] = [parts.get(names.from), parts.get(names.to)];
  return from === undefined || to === undefined ? undefined : each(from + 1, to, 1);
}

/** Keys from one place to another, which counts from the end when it is negative, each `step`; or as many as the word before them says. */
export type KeyPlace =
  | { readonly kind: "range"; readonly from: number; readonly to: number; readonly step: number }
  | { readonly kind: "counted"; readonly countAt: number };

const PLACES: ReadonlyMap<string, readonly KeyPlace[]> = new Map(
  Object.entries(KEYS_BY_PLACE).flatMap(([places, names]) => {
    const parsed = places.split(" ").map(placeOf);
    return names.split(" ").map((name) => [name, parsed] as const);
  }),
);

const ONE_KEY_FIRST: ReadonlySet<string> = new Set(KEYS_BY_PLACE["1"]?.split(" "));

/** Words count from 1 in the table, which is how engines count: their word 0 is the name. */
function placeOf(text: string): KeyPlace {
  if (text.endsWith("#")) return { kind: "counted", countAt: Number.parseInt(text, 10) };
  const [range = "", step = "1"] = text.split("/");
  const [from = "", to = from] = range.split("..");
  return { kind: "range", from: Number(from), to: Number(to), step: Number(step) };
}

function keysAt(place: KeyPlace, words: Words): readonly number[] | undefined {
  const range = rangeAt(place, words.length, place.kind === "counted" ? words.wordAt(place.countAt) : "");
  return range && each(range.from, range.to, range.step);
}

/**
 * The keys of a place in a request of so many words: the first, the last (before the first when there is none), and the step between them. `count`:
 * the word that says how many they are. Undefined when no engine would find them.
 */
export function rangeAt(place: KeyPlace, words: number, count: string): KeyRange | undefined {
  switch (place.kind) {
    case "range": {
      const to = place.to < 0 ? words + place.to : place.to;
      return to < place.from || to >= words ? undefined : { from: place.from, to, step: place.step };
    }
    case "counted": {
      const from = place.countAt + 1;
      const to = place.countAt + Number(count);
      return !COUNT.test(count) || to >= words ? undefined : { from, to, step: 1 };
    }
    default:
      return assertNever(place);
  }
}

/** Words of a request that are keys. */
export interface KeyRange {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

const COUNT = /^\d{1,9}$/;

function each(from: number, to: number, step: number): readonly number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);
}
