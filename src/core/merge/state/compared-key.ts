import { array, decodeValue, encodeValue, optional, record, text, type Codec } from "../operations/codec.ts";
import { heldKey } from "./held-key.ts";
import { keyCodec } from "./key-codec.ts";
import type { KeyState } from "./key-state.ts";
import { effectsCodec, vectorCodec } from "../operations/operation-codec.ts";
import type { Effect } from "../operations/operation.ts";
import type { KeyAt } from "./uncaptured-effects.ts";
import type { VersionVector } from "../operations/version-vector.ts";

/** A key as it is at another site that has captured all changes of it. */
export interface ComparedKey {
  readonly key: string;
  /** The effects that write elsewhere what the engine of the site holds. */
  readonly effects: readonly Effect[];
  readonly state: KeyState;
  /** What of it is in both; undefined: a client is writing it as a whole, which takes the place of what others hold. */
  readonly received: VersionVector | undefined;
}

/** What is compared; undefined of a key that a client of the other site is writing as a whole. */
export function comparedAt({ effects, state, received }: ComparedKey): KeyAt | undefined {
  return received && { held: heldKey(effects), state, received };
}

/** To be encoded before the site that gives it does anything else. */
export function encodeComparedKey(key: ComparedKey): Uint8Array {
  return encodeValue(comparedCodec, FORMAT, key);
}

/** Throws MERGE_MALFORMED. */
export function decodeComparedKey(bytes: Uint8Array): ComparedKey {
  return decodeValue(comparedCodec, FORMAT, bytes);
}

export function encodeNames(names: readonly string[]): Uint8Array {
  return encodeValue(namesCodec, FORMAT, names);
}

/** Throws MERGE_MALFORMED. */
export function decodeNames(bytes: Uint8Array): readonly string[] {
  return decodeValue(namesCodec, FORMAT, bytes);
}

const FORMAT = 1;

const namesCodec = array(text);

const comparedCodec: Codec<ComparedKey> = record<ComparedKey>({
  key: text,
  effects: effectsCodec,
  state: keyCodec,
  received: optional(vectorCodec),
});
