/** The text whose characters are these bytes, one each. Reading takes time in proportion to its length, and the text as much memory as it has bytes. */
export function readOneByteText(bytes: Uint8Array, from: number, to: number): string {
  let text = "";
  if (to - from <= SHORT) for (let at = from; at < to; at += 1) text += String.fromCharCode(bytes[at] ?? 0);
  // of parts that are no longer than this the engine makes texts of one byte a character
  else
    for (let at = from; at < to; at += PART)
      text += UNITS.decode(new Uint16Array(bytes.subarray(at, Math.min(at + PART, to))));
  return text;
}

/** Puts a text of characters of one byte each into bytes that have room for it. */
export function writeOneByteText(text: string, bytes: Uint8Array, begin: number): void {
  if (text.length > SHORT && writeAscii(text, bytes.subarray(begin, begin + text.length))) return;
  for (let at = 0; at < text.length; at += 1) bytes[begin + at] = text.charCodeAt(at);
}

/** Up to this length a loop is faster than a call. */
const SHORT = 64;
const PART = 64 * 1024;
const UNITS = new TextDecoder("utf-16le", { ignoreBOM: true });
const ASCII = new TextEncoder();

/** False when a character needs the eighth bit, which takes two bytes in UTF-8. */
function writeAscii(text: string, bytes: Uint8Array): boolean {
  const { read, written } = ASCII.encodeInto(text, bytes);
  return read === text.length && written === text.length;
}
