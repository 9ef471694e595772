import type { Effect, KeyType, Value } from "./operation.ts";

/** What an engine holds of a key. */
export interface HeldKey {
  /** Undefined of a key that is not there. */
  readonly type: KeyType | undefined;
  readonly elements: ReadonlyMap<string, Value>;
  /** When it expires, in milliseconds since 1970; undefined: never. */
  readonly until: number | undefined;
}

/** The key as it was read: `effects` make it so elsewhere. */
export function heldKey(effects: readonly Effect[]): HeldKey {
  const puts = effects.filter((effect) => effect.kind === "put");
  return {
    type: puts[0]?.type,
    elements: new Map(puts.map(({ element, value }) => [element, value])),
    until: effects.find((effect) => effect.kind === "expire")?.at,
  };
}

/** What makes the key elsewhere what it is here, whatever it is there. */
export function effectsOfHeld(key: string, { type, elements, until }: HeldKey): readonly Effect[] {
  const clear: Effect = { kind: "clear", key };
  if (type === undefined) return [clear];
  const puts = [...elements].map(([element, value]): Effect => ({ kind: "put", type, key, element, value }));
  return [clear, ...puts, ...(until === undefined ? [] : [{ kind: "expire", key, at: until } as const])];
}
