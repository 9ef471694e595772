import { array, decodeValue, encodeValue, flag, record, text, type Codec } from "../operations/codec.ts";
import { knownKeyCodec } from "../state/key-codec.ts";
import type { KnownKeys } from "../state/known-keys.ts";
import { timestampCodec, vectorCodec } from "../operations/operation-codec.ts";
import { seenByCodec, type SeenBy } from "./seen-by.ts";
import type { Timestamp } from "../operations/timestamp.ts";

/** What a site knows of keys, as it is after certain operations. */
export interface Summary extends KnownKeys {
  readonly clock: Timestamp;
  /** What each site had said to have applied: the operations that said it are in the summary. */
  readonly seenBy: readonly SeenBy[];
}

/**
 * A part of a summary for a site that lacks operations which are no longer kept. The last part says what is in all of them, and has
 * the keys again that have changed since their part.
 */
export interface SummaryPart extends Summary {
  readonly isLast: boolean;
}

/** To be encoded before the site that gives it does anything else. */
export function encodeSummary(part: SummaryPart): Uint8Array {
  return encodeValue(partCodec, FORMAT, part);
}

/** Throws MERGE_MALFORMED. */
export function decodeSummary(bytes: Uint8Array): SummaryPart {
  return decodeValue(partCodec, FORMAT, bytes);
}

/** What one transaction applies of a summary, as it is logged. */
export interface LoggedSummary {
  /** Of the transaction. */
  readonly mark: string;
  readonly summary: Summary;
  /** After it, the site has all of the summary. */
  readonly isLast: boolean;
}

/** All keys of the parts, at most `most` of them by each transaction. */
export function dividedSummary(parts: readonly SummaryPart[], most: number, mark: string): readonly LoggedSummary[] {
  const last = parts.at(-1);
  if (last === undefined) return [];
  const { received, clock, seenBy, flushes } = last;
  const states = new Map(parts.flatMap((part) => part.keys.map(({ key, state }) => [key, state])));
  const keys = [...states].map(([key, state]) => ({ key, state }));
  const count = Math.max(1, Math.ceil(keys.length / most));
  return Array.from({ length: count }, (_, index) => {
    const ofOne = count === 1 ? keys : keys.slice(index * most, (index + 1) * most);
    const isLast = index === count - 1;
    const summary = { received, clock, seenBy, flushes, keys: ofOne };
    return { mark: isLast ? mark : `${mark}:${index}`, summary, isLast };
  });
}

export function encodeLoggedSummary(logged: LoggedSummary): Uint8Array {
  return encodeValue(loggedCodec, FORMAT, logged);
}

/** Throws MERGE_MALFORMED. */
export function decodeLoggedSummary(bytes: Uint8Array): LoggedSummary {
  return decodeValue(loggedCodec, FORMAT, bytes);
}

const FORMAT = 1;

const members = {
  received: vectorCodec,
  clock: timestampCodec,
  seenBy: seenByCodec,
  flushes: vectorCodec,
  keys: array(knownKeyCodec),
};
const partCodec: Codec<SummaryPart> = record<SummaryPart>({ ...members, isLast: flag });
const loggedCodec: Codec<LoggedSummary> = record<LoggedSummary>({
  mark: text,
  summary: record<Summary>(members),
  isLast: flag,
});
