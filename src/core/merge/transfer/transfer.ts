import { array, decodeValue, encodeValue, optional, record, text, type Codec } from "../operations/codec.ts";
import type { EngineCommand } from "../state/engine-writes.ts";
import { keyCodec } from "../state/key-codec.ts";
import type { KeyState } from "../state/key-state.ts";
import { MergedState } from "../state/merged-state.ts";
import { effectsCodec, timestampCodec, vectorCodec, type CodedOperation } from "../operations/operation-codec.ts";
import type { Effect } from "../operations/operation.ts";
import { siteOf } from "../operations/origin.ts";
import type { SavedSite } from "../saved/saved-site.ts";
import { seenByCodec, type SeenBy } from "../summary/seen-by.ts";
import { BEGINNING, type Timestamp } from "../operations/timestamp.ts";
import { NOTHING, covers, type VersionVector } from "../operations/version-vector.ts";

/** Where a site that has nothing begins: what it gets as keys holds all this, and later operations come in the usual way. */
export interface TransferBegin {
  readonly received: VersionVector;
  readonly clock: Timestamp;
  readonly seenBy: readonly SeenBy[];
  /** What the site that gives has forgotten. */
  readonly forgotten: VersionVector;
  readonly flushes: VersionVector;
  /** The keys that have to be transferred even if the engine has them not. */
  readonly keys: readonly string[];
}

/** Where a site begins when no other one has anything. */
export const EMPTY_TRANSFER: TransferBegin = {
  received: NOTHING,
  clock: BEGINNING,
  seenBy: [],
  forgotten: NOTHING,
  flushes: NOTHING,
  keys: [],
};

/** A key of the site that gives, at one place of its stream. */
export interface TransferredKey {
  readonly key: string;
  /** What the engine holds there: removed, written and made to expire. */
  readonly effects: readonly Effect[];
  /** What is known of it there; undefined: only what all sites agreed on. */
  readonly state: KeyState | undefined;
}

export function encodeTransferBegin(begin: TransferBegin): Uint8Array {
  return encodeValue(beginCodec, FORMAT, begin);
}

/** Throws MERGE_MALFORMED. */
export function decodeTransferBegin(bytes: Uint8Array): TransferBegin {
  return decodeValue(beginCodec, FORMAT, bytes);
}

/** To be encoded before the site that gives it does anything else. */
export function encodeTransferredKey(key: TransferredKey): Uint8Array {
  return encodeValue(transferredCodec, FORMAT, key);
}

/** Throws MERGE_MALFORMED. */
export function decodeTransferredKey(bytes: Uint8Array): TransferredKey {
  return decodeValue(transferredCodec, FORMAT, bytes);
}

/** What writes the key into the engine of the site that gets it. */
export function transferWrites({ effects }: TransferredKey): readonly EngineCommand[] {
  const only = new MergedState([], NOTHING);
  return only.apply({ dot: { origin: 1, seq: 1 }, at: BEGINNING, seen: NOTHING, effects }).commands;
}

/**
 * What a site has to save once its engine has all keys, to go on under `origin` like a site that was here before: operations that a key has
 * already change it no more. `operations`: all that the site that gives keeps after it has given the last key, its own ones up to then included
 * and confirmed. What the keys have of them is then also here, if the site that gave is lost.
 */
export function transferredSite(
  begin: TransferBegin,
  origin: number,
  keys: readonly TransferredKey[],
  operations: readonly CodedOperation[],
): SavedSite {
  const { received, clock, flushes, forgotten } = begin;
  const isBefore = ({ dot }: CodedOperation): boolean => covers(received, dot);
  return {
    clock,
    flushes,
    received,
    seen: received,
    forgotten,
    pending: [],
    summaries: [],
    kept: operations.filter(isBefore),
    early: operations.filter((operation) => !isBefore(operation)),
    seenBy: [...begin.seenBy.filter((each) => siteOf(each.origin) !== siteOf(origin)), { origin, seen: received }],
    keys: keys.flatMap(({ key, state }) => (state === undefined ? [] : [{ key, state }])),
  };
}

const FORMAT = 1;

const beginCodec: Codec<TransferBegin> = record<TransferBegin>({
  received: vectorCodec,
  clock: timestampCodec,
  seenBy: seenByCodec,
  forgotten: vectorCodec,
  flushes: vectorCodec,
  keys: array(text),
});

const transferredCodec: Codec<TransferredKey> = record<TransferredKey>({
  key: text,
  effects: effectsCodec,
  state: optional(keyCodec),
});
