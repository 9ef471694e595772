/** The text with its control characters made visible, as a terminal gets it: lines and tabs stay. */
export function visibleText(text: string): string {
  return text.replace(CONTROLS, escapeControl);
}

/** The visible form of one line, as a cell of a table: characters that would end the line are made visible too. */
export function visibleLine(text: string): string {
  return replaceControls(text, escapeControl);
}

/** The text with each control character replaced, also those that end a line. */
export function replaceControls(text: string, replacement: (character: string) => string): string {
  return text.replace(CONTROLS, replacement).replace(/[\n\t]/g, replacement);
}

/** Also those that turn the direction of what follows. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

function escapeControl(character: string): string {
  if (character === "\n") return "\\n";
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
