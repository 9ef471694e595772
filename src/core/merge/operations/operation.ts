import type { Timestamp } from "./timestamp.ts";
import type { Dot, VersionVector } from "./version-vector.ts";

/** What a key can hold in an Active-Active database. */
export type KeyType = "string" | "list" | "hash" | "set" | "zset";

/** In the order in which they are numbered when they are sent. */
export const KEY_TYPES: readonly KeyType[] = ["string", "list", "hash", "set", "zset"];

/** Bytes as a string of one character a byte; a list as its elements. */
export type Value = string | readonly string[];

/** What one command did to one key, or to all. A string and a list have one element, with the name "". */
export type Effect =
  | {
      readonly kind: "put";
      readonly type: KeyType;
      readonly key: string;
      readonly element: string;
      readonly value: Value;
    }
  | {
      readonly kind: "add";
      readonly type: KeyType;
      readonly key: string;
      readonly element: string;
      readonly amount: bigint;
    }
  | { readonly kind: "remove"; readonly type: KeyType; readonly key: string; readonly element: string }
  /** The key and all that it held. */
  | { readonly kind: "clear"; readonly key: string }
  /** Every key of which the site knew. */
  | { readonly kind: "flush" }
  /** `at`: milliseconds since 1970; undefined: never. */
  | { readonly kind: "expire"; readonly key: string; readonly at: number | undefined }
  /** For a moment the key was not there: no time of expiry that the site had seen counts any longer. */
  | { readonly kind: "emptied"; readonly key: string };

/** An effect on one key. */
export type KeyEffect = Exclude<Effect, { kind: "flush" }>;

/** An effect on one element. */
export type ElementEffect = Extract<Effect, { readonly element: string }>;

/** What a command or a transaction did at one site; sites apply it as a whole, and after all that its site had seen. */
export interface Operation {
  readonly dot: Dot;
  readonly at: Timestamp;
  /** What the engine of the site had applied before, without the operation itself. */
  readonly seen: VersionVector;
  /** None: it only says what the site has seen. */
  readonly effects: readonly Effect[];
}

/** The effects on each key, without those on all keys. */
export function byKey(effects: Operation["effects"]): readonly (readonly [string, readonly KeyEffect[]])[] {
  const ofKeys = effects.filter((effect) => effect.kind !== "flush");
  const [first] = ofKeys;
  if (first === undefined) return [];
  return ofKeys.length === 1 ? [[first.key, ofKeys]] : [...Map.groupBy(ofKeys, ({ key }) => key)];
}
