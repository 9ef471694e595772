import type { Effect, KeyType, Value } from "../operations/operation.ts";

/** What an engine holds of a key. */
export interface HeldKey {
  /** Undefined of a key that is not there. */
  readonly type: KeyType | undefined;
  readonly elements: ReadonlyMap<string, Value>;
  /** When it expires, in milliseconds since 1970; undefined: never. */
  readonly until: number | undefined;
}

/** The key as it was read, by the effects that write it elsewhere. */
export function heldKey(effects: readonly Effect[]): HeldKey {
  const puts = effects.filter((effect) => effect.kind === "put");
  return {
    type: puts[0]?.type,
    elements: new Map(puts.map(({ element, value }) => [element, value])),
    until: effects.find((effect) => effect.kind === "expire")?.at,
  };
}

/** The effects that make the key elsewhere what it is here, whatever it is there. */
export function effectsOfHeld(key: string, { type, elements, until }: HeldKey): readonly Effect[] {
  const clear: Effect = { kind: "clear", key };
  if (type === undefined) return [clear];
  const puts = [...elements].map(([element, value]): Effect => ({ kind: "put", type, key, element, value }));
  return [clear, ...puts, ...(until === undefined ? [] : [{ kind: "expire", key, at: until } as const])];
}

/** Whether an element holds the same. Engines of different versions write a score in different ways. */
export function isSameValue(type: KeyType, a: Value | undefined, b: Value | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (type === "zset") return a === b || Number(a) === Number(b);
  if (typeof a === "string" && typeof b === "string") return a === b || isSameCount(a, b);
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A HyperLogLog, whose engine keeps in eight bytes of it what PFCOUNT has found. */
function isSameCount(a: string, b: string): boolean {
  const rest = (text: string): string => text.slice(0, CACHE.from) + text.slice(CACHE.to);
  return a.startsWith("HYLL") && a.length > CACHE.to && rest(a) === rest(b);
}

const CACHE = { from: 8, to: 16 };
