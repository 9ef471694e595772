import { addAmount } from "./engine-writes.ts";
import type { Effect, ElementEffect, KeyEffect } from "../operations/operation.ts";

/**
 * The effects of one operation, each of which holds when all have been done: what a later one has replaced is left out. Sites take the
 * effects of an operation as done at once, so that none of them can rest on another one.
 */
export function condensedEffects(effects: readonly Effect[]): readonly Effect[] {
  if (effects.length < 2) return effects;
  let isFlushed = false;
  const keys = new Map<string, CondensedKey>();
  for (const effect of effects) {
    if (effect.kind === "flush") {
      isFlushed = true;
      keys.clear();
      continue;
    }
    const known = keys.get(effect.key) ?? { isCleared: false, elements: new Map<string, ElementEffects>() };
    keys.set(effect.key, known);
    condense(known, effect);
  }
  const all = [...keys].flatMap(([key, known]) => effectsOf(key, known));
  return isFlushed ? [{ kind: "flush" }, ...all] : all;
}

/** What was done to an element: a value takes the place of all before it, an increment comes on top of a removal. */
interface ElementEffects {
  removal?: Extract<KeyEffect, { kind: "remove" }>;
  last?: Extract<KeyEffect, { kind: "put" | "add" }>;
}

interface CondensedKey {
  isCleared: boolean;
  /** The last one of these. */
  expiry?: Extract<KeyEffect, { kind: "expire" | "emptied" }>;
  /** By type and name. */
  readonly elements: Map<string, ElementEffects>;
}

function condense(known: CondensedKey, effect: KeyEffect): void {
  switch (effect.kind) {
    case "clear":
      known.isCleared = true;
      known.elements.clear();
      delete known.expiry;
      break;
    case "expire":
    case "emptied":
      known.expiry = effect;
      break;
    case "put":
    case "add":
    case "remove": {
      if (effect.kind === "put" && effect.type === "string") replaceOthers(known);
      const name = `${effect.type} ${effect.element}`;
      known.elements.set(name, elementAfter(known.elements.get(name) ?? {}, effect));
      break;
    }
  }
}

/** A string takes the place of elements of other types, also where its key keeps its time and is not removed for it. */
function replaceOthers({ elements }: CondensedKey): void {
  for (const [name, { removal, last }] of elements)
    if (removal !== undefined) elements.set(name, { removal });
    else if (last?.type !== "string") elements.delete(name);
}

function elementAfter({ removal, last }: ElementEffects, effect: ElementEffect): ElementEffects {
  switch (effect.kind) {
    case "put":
      return { last: effect };
    case "remove":
      return { removal: effect };
    case "add":
      if (last === undefined) return { ...(removal === undefined ? {} : { removal }), last: effect };
      if (last.kind === "put") return { last: { ...last, value: addAmount(last.type, last.value, effect.amount) } };
      return { ...(removal === undefined ? {} : { removal }), last: { ...last, amount: last.amount + effect.amount } };
  }
}

function effectsOf(key: string, { isCleared, expiry, elements }: CondensedKey): readonly Effect[] {
  const all: Effect[] = isCleared ? [{ kind: "clear", key }] : [];
  for (const { removal, last } of elements.values()) {
    if (removal !== undefined) all.push(removal);
    if (last !== undefined) all.push(last);
  }
  if (expiry !== undefined) all.push(expiry);
  return all;
}
