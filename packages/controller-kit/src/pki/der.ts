/** One DER element: its tag byte, then the length of `parts` together, then `parts`. */
export function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
}

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return element(0x30, ...parts);
}

export function derSet(...parts: readonly Uint8Array[]): Buffer {
  return element(0x31, ...parts);
}

export function octets(...parts: readonly Uint8Array[]): Buffer {
  return element(0x04, ...parts);
}

/** An unsigned integer, big end first. */
export function derInteger(bytes: Uint8Array): Buffer {
  const isNegative = ((bytes[0] ?? 0) & 0x80) !== 0;
  return element(0x02, ...(isNegative ? [Buffer.from([0]), bytes] : [bytes]));
}

/** A bit string whose last byte has `unused` bits that do not count. */
export function bits(bytes: Uint8Array, unused = 0): Buffer {
  return element(0x03, Buffer.from([unused]), bytes);
}

/** `true`; DER leaves `false` out. */
export const yes: Buffer = element(0x01, Buffer.from([0xff]));

export function derText(value: string): Buffer {
  return element(0x0c, Buffer.from(value, "utf8"));
}

/** An object identifier in dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** An instant, to the second: UTCTime before 2050 and GeneralizedTime from then on, as RFC 5280 asks. */
export function time(instant: Date): Buffer {
  const digits = instant.toISOString().replace(/[-:T]|\.\d+/g, "");
  return instant.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(digits.slice(2), "ascii"))
    : element(0x18, Buffer.from(digits, "ascii"));
}

/** The elements that lie one after another in `bytes`, each with its tag and length; stops at the first broken one. */
export function elementsIn(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + headerOf(bytes.subarray(at)) + bodyLengthOf(bytes.subarray(at));
    if (end <= at || end > bytes.length) return found;
    found.push(bytes.subarray(at, end));
    at = end;
  }
  return found;
}

/** What an element holds, without its tag and length. */
export function derContent(bytes: Buffer): Buffer {
  return bytes.subarray(headerOf(bytes));
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

function headerOf(bytes: Buffer): number {
  const length = bytes[1] ?? 0;
  return length < 0x80 ? 2 : 2 + (length & 0x7f);
}

function bodyLengthOf(bytes: Buffer): number {
  const length = bytes[1] ?? 0;
  if (length < 0x80) return length;
  return bytes.subarray(2, headerOf(bytes)).reduce((sum, byte) => sum * 256 + byte, 0);
}
