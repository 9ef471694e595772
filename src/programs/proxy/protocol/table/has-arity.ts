import { ARITIES } from "./arities.ts";

/** False when engines do not take that command with so many words. */
export function hasArity(name: string, words: number): boolean {
  const arity = ARITIES[name];
  return arity === undefined || (arity < 0 ? words >= -arity : words === arity);
}
