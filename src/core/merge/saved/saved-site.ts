import type { RacedKey } from "../operations/key-part.ts";
import { array, decodeValue, encodeValue, record, text, type Codec } from "../operations/codec.ts";
import { knownKeyCodec } from "../state/key-codec.ts";
import {
  codedOperationCodec,
  timestampCodec,
  vectorCodec,
  type CodedOperation,
  type EncodedOperation,
} from "../operations/operation-codec.ts";
import type { KnownKey } from "../state/key-state.ts";
import { seenByCodec, type SeenBy } from "../summary/seen-by.ts";
import type { LoggedSummary } from "../summary/summary.ts";
import type { Timestamp } from "../operations/timestamp.ts";
import type { VersionVector } from "../operations/version-vector.ts";

/** All that a site knows, to go on from when its process ends. */
export interface SavedSite {
  readonly clock: Timestamp;
  /** What its engine had shown to have applied. */
  readonly seen: VersionVector;
  /** What it had received; the number of its own last operation is in it. */
  readonly received: VersionVector;
  /** What each site had said to have applied. */
  readonly seenBy: readonly SeenBy[];
  /** What it has forgotten since every site had applied it. */
  readonly forgotten: VersionVector;
  /** Operations that were given to the engine, and whose marks had not come back. */
  readonly pending: readonly CodedOperation[];
  /** Summaries that were given to the engine, and whose marks had not come back. */
  readonly summaries: readonly PendingSummary[];
  readonly keys: readonly KnownKey[];
  /** The operations that removed all keys, and that not all sites had applied. */
  readonly flushes: VersionVector;
  /** Operations that came before one that they follow. */
  readonly early: readonly CodedOperation[];
  /** Operations that other sites may lack, in the order of their times. */
  readonly kept: readonly EncodedOperation[];
}

/** What is left of a site when its process ends. */
export interface Remains {
  readonly saved: SavedSite | undefined;
  readonly log: readonly LoggedEntry[];
  /** What it had to write again at the place of the last own operation; undefined when that is not known. */
  readonly due: readonly RacedKey[] | undefined;
}

/** The last transaction of a summary. */
export interface PendingSummary {
  readonly mark: string;
  readonly received: VersionVector;
}

/** An entry in the log of a site. */
export type LoggedEntry = LoggedOperation | ({ readonly kind: "summary" } & LoggedSummary);

/** `captured`: the engine of the site did it itself. */
export interface LoggedOperation {
  readonly kind: "captured" | "applied";
  readonly operation: CodedOperation;
}

export function encodeSaved(saved: SavedSite): Uint8Array {
  return encodeValue(savedCodec, FORMAT, saved);
}

/** Throws MERGE_MALFORMED when the bytes are none of a site that this release knows. */
export function decodeSaved(bytes: Uint8Array): SavedSite {
  return decodeValue(savedCodec, FORMAT, bytes);
}

const FORMAT = 1;

const savedCodec: Codec<SavedSite> = record<SavedSite>({
  clock: timestampCodec,
  seen: vectorCodec,
  received: vectorCodec,
  seenBy: seenByCodec,
  forgotten: vectorCodec,
  pending: array(codedOperationCodec),
  summaries: array(record<PendingSummary>({ mark: text, received: vectorCodec })),
  keys: array(knownKeyCodec),
  flushes: vectorCodec,
  early: array(codedOperationCodec),
  kept: array(codedOperationCodec),
});
