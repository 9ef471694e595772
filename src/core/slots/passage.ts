import type { Words } from "../base/located-parts.ts";
import { hasOneKeyFirst, keysOf, namesKeys } from "./keys-of.ts";
import { slotOf, SLOTS } from "./slot.ts";
import type { SlotRange } from "../base/slot-range.ts";

/** A command of a stream: its words, of which the name is the first, and their bytes. */
export interface StreamedCommand extends Words {
  /** In capitals. */
  readonly name: string;
  bytesAt(at: number): Uint8Array;
}

/** Where each slot goes: at the place of the slot, the place of its target, or `STAYS`. */
export type Destinations = Uint16Array;

/** Of a slot that goes nowhere. */
export const STAYS = 0xffff;

/** Where slots go to targets that get these. The slots of `from` alone go: what an engine has of others is not its own. */
export function destinationsOf(from: readonly SlotRange[], targets: readonly (readonly SlotRange[])[]): Destinations {
  const destinations = new Uint16Array(SLOTS).fill(STAYS);
  const own = new Uint8Array(SLOTS);
  for (const range of from) own.fill(1, range.from, range.to + 1);
  for (const [target, ranges] of targets.entries())
    for (const range of ranges)
      for (let slot = range.from; slot <= range.to; slot++) if (own[slot] === 1) destinations[slot] = target;
  return destinations;
}

/** What becomes of a command of a stream. */
export type StreamPassage =
  /** It has no effect on data. */
  | { readonly kind: "dropped" }
  /** It goes to one target as it is, or stays. */
  | { readonly kind: "whole"; readonly target: number }
  /** Each target gets its keys of it, with the word behind each where it sets them. */
  | { readonly kind: "split"; readonly keys: readonly number[] }
  /** What it does to a key of one target depends on a key of another. */
  | { readonly kind: "crossing"; readonly keys: readonly number[] }
  /** It goes to all targets: functions. */
  | { readonly kind: "everywhere" }
  /** It changes whole numbered databases. */
  | { readonly kind: "databases" }
  /** It is not known which keys it changes. */
  | { readonly kind: "unknown" };

/** What becomes of that command, with the keys of the source going to these destinations. */
export function passageOf(command: StreamedCommand, destinations: Destinations): StreamPassage {
  const { name } = command;
  if (hasOneKeyFirst(name) && command.length > 1) return { kind: "whole", target: targetAt(command, 1, destinations) };
  const other = WITHOUT_KEYS[name];
  if (other !== undefined) return isPlaceMark(command) ? DROPPED : other;
  const keys = keysIn(command);
  const [first] = keys ?? [];
  if (keys === undefined || first === undefined) return { kind: "unknown" };
  const target = targetAt(command, first, destinations);
  if (keys.every((at) => targetAt(command, at, destinations) === target)) return { kind: "whole", target };
  return { kind: SPLIT.has(name) ? "split" : "crossing", keys };
}

/** A database is swapped with itself: a proxy has written a place into the stream. */
function isPlaceMark(command: StreamedCommand): boolean {
  return command.name === "SWAPDB" && command.wordAt(1) === command.wordAt(2);
}

/** Where the keys of a command of a stream stand among its words; undefined when that is not known. */
export function keysIn(command: StreamedCommand): readonly number[] | undefined {
  const { name } = command;
  if (hasOneKeyFirst(name)) return command.length > 1 ? [1] : undefined;
  const full = name === "XGROUP" ? `${name}|${command.wordAt(1)}` : name;
  return namesKeys(full) ? keysOf(full, command) : undefined;
}

/** The place of the target of the key that stands there, or `STAYS`. */
export function targetAt(command: StreamedCommand, at: number, destinations: Destinations): number {
  return destinations[slotOf(command.bytesAt(at))] ?? STAYS;
}

/** The words of the part of a split command that one target gets, behind its name. */
export function wordsOfPart(
  command: StreamedCommand,
  keys: readonly number[],
  isHere: (at: number) => boolean,
): readonly Uint8Array[] {
  const setsKeys = command.name.startsWith("MSET");
  return keys.flatMap((at) => {
    if (!isHere(at)) return [];
    return setsKeys ? [command.bytesAt(at), command.bytesAt(at + 1)] : [command.bytesAt(at)];
  });
}

/** What they do to each key depends on no other: a stream has `MSETNX` only when it has set all. */
const SPLIT: ReadonlySet<string> = new Set(["DEL", "UNLINK", "MSET", "MSETNX"]);

const DROPPED: StreamPassage = { kind: "dropped" };
const DATABASES: StreamPassage = { kind: "databases" };
/** Messages have no reader at a target yet, and scripts are in a stream by what they did. */
const WITHOUT_KEYS: Readonly<Record<string, StreamPassage | undefined>> = {
  PING: DROPPED,
  REPLCONF: DROPPED,
  PUBLISH: DROPPED,
  SPUBLISH: DROPPED,
  SCRIPT: DROPPED,
  FUNCTION: { kind: "everywhere" },
  FLUSHALL: DATABASES,
  FLUSHDB: DATABASES,
  SWAPDB: DATABASES,
};

/** The place of the target of a key; undefined when it stays. */
export function destinationOfKey(key: Uint8Array, destinations: Destinations): number | undefined {
  const target = destinations[slotOf(key)] ?? STAYS;
  return target === STAYS ? undefined : target;
}
