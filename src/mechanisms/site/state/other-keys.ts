import type { ComparedKey } from "../../../core/merge/state/compared-key.ts";

/** The keys of another site that has captured all of them, over a connection. Rejects when that ends. */
export interface OtherKeys {
  /** As that site has them, each one. */
  look(names: readonly string[]): Promise<readonly ComparedKey[]>;
  /** Names of the keys that its engine holds all the while, some at a time. */
  names(): AsyncIterable<readonly string[]>;
  /** Sums of the digests of all keys for so many ranges of names; undefined while that site has not met all keys. */
  sums(count: number): Promise<Uint32Array | undefined>;
  /** Its digests of single keys have the times of expiry, and what large keys hold: a link of a release before 0.6.0 leaves that out. */
  readonly areDigestsClose: boolean;
  /** Short digests of these keys as that site has them. */
  digests(names: readonly string[]): Promise<Uint32Array>;
  close(): void;
}
