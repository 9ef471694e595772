/** A word as a shell reads it back: quoted unless it has only harmless characters, or is a placeholder such as `<rec>-<n>`. */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : quotedWord(text);
}

/** Words with single spaces between them, each as a shell reads it back. */
export function shellWords(text: string): string {
  return text.split(" ").map(shellWord).join(" ");
}

/** The same of one word, quoted in any case. */
export function quotedWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

const PLAIN = /^(?:[\w@%+=:,./…-]|<[a-z][a-z -]*>)+$/i;
