/** The keys of a model engine, as its commands work on them. */
export interface ModelKeys {
  get(key: string): Held | undefined;
  put(key: string, held: Held): void;
  /** True when there was one. */
  drop(key: string): boolean;
  /** True when there was a key. */
  flush(): boolean;
  /** False when it changed nothing. */
  setExpiry(key: string, at: number | undefined): boolean;
}

/** A key of the model: its type decides what the value is. */
export type Held =
  | { readonly type: "string"; value: string }
  | { readonly type: "list"; value: string[] }
  | { readonly type: "set"; readonly value: Set<string> }
  | { readonly type: "hash" | "zset"; readonly value: Map<string, string> };
