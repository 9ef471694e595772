import { replaceControls } from "./visible.ts";

/** A word as a shell reads it back: a value is quoted unless it has only harmless characters, whatever it looks like; a placeholder never. */
export function shellWord(word: Word): string {
  if (typeof word !== "string") return word.shown;
  return PLAIN.test(word) ? word : quotedWord(word);
}

/** Words with single spaces between them, each as a shell reads it back. */
export function shellWords(words: Word): string {
  return typeof words === "string" ? words.split(" ").map(shellWord).join(" ") : words.shown;
}

/** A value, quoted in any case; on one line, and readable, also where it has control characters. */
export function quotedWord(text: string): string {
  if (replaceControls(text, () => "") !== text) return escapedWord(text);
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** What a reader fills in before the line is typed, for instance `<rec>-<n>`. */
export interface Placeholder {
  readonly shown: string;
  /** In a body of JSON it is a text. */
  readonly toJSON: () => string;
}

/** A value of a command, or what stands for one. */
export type Word = string | Placeholder;

/** Words of a remedy in which a reader fills something in; none of them is a value that anybody has written. */
export function placeholder(shown: string): Placeholder {
  return { shown, toJSON: () => shown };
}

const PLAIN = /^[\w@%+=:,./…-]+$/;

/** Put together by `printf`, which every shell has; an end of line at its end, which that loses, as bash, ksh and zsh write it. */
function escapedWord(text: string): string {
  const escapes = replaceControls(text.replaceAll("\\", "\\\\"), inOctal);
  if (text.endsWith("\n")) return `$'${escapes.replaceAll("'", String.raw`\'`)}'`;
  return `"$(printf '${escapes.replaceAll("%", "%%").replaceAll("'", String.raw`'\''`)}')"`;
}

/** Each byte of its UTF-8 form. */
function inOctal(character: string): string {
  return [...new TextEncoder().encode(character)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}
