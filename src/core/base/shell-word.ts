import { replaceControls } from "./visible.ts";

/** A word as a shell reads it back: quoted unless it has only harmless characters, or is a placeholder such as `<rec>-<n>`. */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : quotedWord(text);
}

/** Words with single spaces between them, each as a shell reads it back. */
export function shellWords(text: string): string {
  return text.split(" ").map(shellWord).join(" ");
}

/** The same of one word, quoted in any case; on one line, and readable, also where it has control characters. */
export function quotedWord(text: string): string {
  if (replaceControls(text, () => "") !== text) return escapedWord(text);
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

const PLAIN = /^(?:[\w@%+=:,./…-]|<[a-z][a-z -]*>)+$/i;

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
