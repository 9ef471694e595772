import type { KnownKey } from "./key-state.ts";
import type { VersionVector } from "../operations/version-vector.ts";

/** The keys that a site knows after certain operations. */
export interface KnownKeys {
  /** The operations that are in it. */
  readonly received: VersionVector;
  /** The operations that removed all keys, and that not all sites had applied. */
  readonly flushes: VersionVector;
  readonly keys: readonly KnownKey[];
}
