import { array, number, record } from "../operations/codec.ts";
import { vectorCodec } from "../operations/operation-codec.ts";
import type { VersionVector } from "../operations/version-vector.ts";

/** What a site has applied. */
export interface SeenBy {
  /** Who numbers its operations now: its latest incarnation that is known. */
  readonly origin: number;
  readonly seen: VersionVector;
}

export const seenByCodec = array(record<SeenBy>({ origin: number, seen: vectorCodec }));
