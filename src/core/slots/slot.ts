/** How many slots the keys of a database are spread over; as the engines count them. */
export const SLOTS = 16_384;

/**
 * The slot of a key, 0 to 16,383, by the rule of the engines: CRC16 of the key, or of what stands between its first `{` and the next `}`
 * when that is not empty. Of the bytes from `start` up to `end`.
 */
export function slotOf(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let crc = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === OPEN) return slotFrom(bytes, start, at, end);
    crc = ((crc << 8) ^ (TABLE[(crc >> 8) ^ byte] ?? 0)) & 0xffff;
  }
  return crc & (SLOTS - 1);
}

/** The same of a key whose first `{` is at `open`. */
function slotFrom(bytes: Uint8Array, start: number, open: number, end: number): number {
  const close = indexIn(bytes, CLOSE, open + 1, end);
  const isTagged = close < end && close > open + 1;
  return (isTagged ? crc16(bytes, open + 1, close) : crc16(bytes, start, end)) & (SLOTS - 1);
}

/** Finds the slot of a key that arrives in pieces, and keeps none of them. */
export class SlotOfPieces {
  #crc = 0;
  #tagCrc = 0;
  #tagBytes = 0;
  #tag: "awaited" | "open" | "closed" | "empty" = "awaited";

  /** The slot of what has arrived. */
  get slot(): number {
    return (this.#tag === "closed" ? this.#tagCrc : this.#crc) & (SLOTS - 1);
  }

  /** Takes what follows, from `start` up to `end`. */
  take(bytes: Uint8Array, start: number, end: number): void {
    let at = start;
    if (this.#tag === "awaited") {
      at = indexIn(bytes, OPEN, start, end) + 1;
      if (at <= end) this.#tag = "open";
    }
    if (this.#tag === "open") this.#takeTag(bytes, at, end);
    if (this.#tag !== "closed") this.#crc = crc16(bytes, start, end, this.#crc);
  }

  #takeTag(bytes: Uint8Array, start: number, end: number): void {
    const close = indexIn(bytes, CLOSE, start, end);
    this.#tagCrc = crc16(bytes, start, close, this.#tagCrc);
    this.#tagBytes += close - start;
    if (close < end) this.#tag = this.#tagBytes > 0 ? "closed" : "empty";
  }
}

function indexIn(bytes: Uint8Array, wanted: number, start: number, end: number): number {
  let at = start;
  while (at < end && bytes[at] !== wanted) at++;
  return at;
}

function crc16(bytes: Uint8Array, start: number, end: number, before = 0): number {
  let crc = before;
  for (let at = start; at < end; at++) crc = ((crc << 8) ^ (TABLE[(crc >> 8) ^ (bytes[at] ?? 0)] ?? 0)) & 0xffff;
  return crc;
}

const OPEN = 0x7b;
const CLOSE = 0x7d;
/** The polynomial that engines use (XMODEM). */
const POLYNOMIAL = 0x1021;
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ POLYNOMIAL;
  return crc;
});
