/** Where a site writes: an element of a key, or the time when the key expires. */
export interface Place {
  readonly type: "string" | "hash" | "set" | "zset" | "expiry";
  readonly key: string;
  /** Empty of a string and of a time of expiry. */
  readonly element: string;
}

/** What a client has written, in the words of the rules in docs/active-active.md. */
export type Written =
  /** Increments of every kind of one name, with a member of the log that says so, all at once. */
  | { readonly kind: "sum"; readonly name: string; readonly by: number; readonly member: string }
  /** What no other site writes; undefined: removed. */
  | { readonly kind: "own"; readonly place: Place; readonly value: string | undefined }
  /** An element at the end of a list that no other site writes. */
  | { readonly kind: "pushed"; readonly key: string; readonly value: string }
  /** A value that is written once only, where every site writes, and the value that it took the place of. */
  | { readonly kind: "register"; readonly place: Place; readonly value: string; readonly replaced: string | undefined }
  /** A member that is added or removed, where every site does so. */
  | { readonly kind: "added"; readonly key: string; readonly element: string }
  | { readonly kind: "removed"; readonly key: string; readonly element: string }
  /** A key that is removed with all its members. */
  | { readonly kind: "deleted"; readonly key: string };

/**
 * One write of the client of a site. `unknown`: it may have been executed, and may have been lost with the engine. `lost`: it was executed, and the
 * disk of its site has lost it; it comes back from the other sites that had it, perhaps after later writes of the site that do not know of it.
 */
export interface SiteWrite {
  /** Its place among those of its site. */
  readonly number: number;
  readonly outcome: "acknowledged" | "unknown" | "lost";
  /** When it was sent and answered, by one clock. */
  readonly began: number;
  readonly ended: number;
  readonly written: Written;
}

/** All that the client of one site has written, in its order. */
export type Session = readonly SiteWrite[];

/** What a key holds: a string, elements in their order, or elements with values. */
export type Held = string | readonly string[] | ReadonlyMap<string, string>;

/** What an engine holds. */
export interface Data {
  readonly keys: ReadonlyMap<string, Held>;
  /** Milliseconds since 1970, of keys that expire. */
  readonly expiries: ReadonlyMap<string, string>;
}

/** What is there; undefined: nothing. */
export function valueAt({ keys, expiries }: Data, { type, key, element }: Place): string | undefined {
  if (type === "expiry") return expiries.get(key);
  const held = keys.get(key);
  if (typeof held === "string") return held;
  if (held instanceof Map) return held.get(element) as string | undefined;
  return Array.isArray(held) && held.includes(element) ? "" : undefined;
}
