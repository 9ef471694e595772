import { randomInt, randomUUID } from "node:crypto";

const SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789";

/** A name that begins with `prefix` and ends in five random letters. */
export function generatedName(prefix: string): string {
  const suffix = Array.from({ length: 5 }, () => SUFFIX_LETTERS[randomInt(SUFFIX_LETTERS.length)]).join("");
  return prefix.slice(0, 58) + suffix;
}

/** A uid for a new object. */
export function newUid(): string {
  return randomUUID();
}
