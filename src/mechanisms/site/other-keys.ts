import type { ComparedKey } from "../../core/merge/compared-key.ts";

/** The keys of another site that has captured all of them, over a connection. Rejects when that ends. */
export interface OtherKeys {
  /** As that site has them, each one. */
  look(names: readonly string[]): Promise<readonly ComparedKey[]>;
  /** Names of the keys that its engine holds all the while, some at a time. */
  names(): AsyncIterable<readonly string[]>;
  close(): void;
}
