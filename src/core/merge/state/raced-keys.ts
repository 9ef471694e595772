import { array, decodeValue, encodeValue, flag, mapCodec, optional, record, text, word } from "../operations/codec.ts";
import type { KeyPart, NamedElement, RacedKey, SomeOfKey } from "../operations/key-part.ts";
import { KEY_TYPES } from "../operations/operation.ts";

/** What has to be written again, as it is saved. */
export function encodeRacedKeys(keys: readonly RacedKey[]): Uint8Array {
  return encodeValue(racedKeysCodec, FORMAT, keys);
}

/** Throws MERGE_MALFORMED when the bytes are no raced keys that this release knows. */
export function decodeRacedKeys(bytes: Uint8Array): readonly RacedKey[] {
  return decodeValue(racedKeysCodec, FORMAT, bytes);
}

const FORMAT = 1;

const someCodec = record<SomeOfKey>({
  elements: array(record<NamedElement>({ type: word(...KEY_TYPES), element: text })),
  hasExpiry: flag,
});
const partCodec = mapCodec(
  optional(someCodec),
  (part: KeyPart) => (part === "all" ? undefined : part),
  (some): KeyPart => some ?? "all",
);
const racedKeysCodec = array(record<RacedKey>({ key: text, part: partCodec }));
