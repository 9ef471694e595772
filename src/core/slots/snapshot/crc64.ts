/** The checksum behind a snapshot, as engines compute it (CRC-64 by Jones), of bytes that come piece by piece. */
export class Crc64 {
  #low = 0;
  #high = 0;

  add(bytes: Uint8Array): void {
    const whole = bytes.length - (bytes.length % WORDS);
    for (let at = 0; at < whole; at += WORDS) this.#addEight(bytes, at);
    for (let at = whole; at < bytes.length; at++) {
      const index = (this.#low ^ (bytes[at] ?? 0)) & 255;
      this.#low = ((this.#low >>> 8) | (this.#high << 24)) ^ (LOW[index] ?? 0);
      this.#high = (this.#high >>> 8) ^ (HIGH[index] ?? 0);
    }
  }

  /** Of all that was added: 8 bytes, the lowest one first. */
  get sum(): Uint8Array {
    const sum = new DataView(new ArrayBuffer(WORDS));
    sum.setInt32(0, this.#low, true);
    sum.setInt32(4, this.#high, true);
    return new Uint8Array(sum.buffer);
  }

  #addEight(bytes: Uint8Array, at: number): void {
    const low = this.#low ^ wordAt(bytes, at);
    const high = this.#high ^ wordAt(bytes, at + 4);
    this.#low = eightOf(LOW, low, high);
    this.#high = eightOf(HIGH, low, high);
  }
}

function wordAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
}

/** Each byte by the table for its distance from the end of the eight. */
function eightOf(tables: Int32Array, low: number, high: number): number {
  return (
    (tables[1792 + (low & 255)] ?? 0) ^
    (tables[1536 + ((low >>> 8) & 255)] ?? 0) ^
    (tables[1280 + ((low >>> 16) & 255)] ?? 0) ^
    (tables[1024 + (low >>> 24)] ?? 0) ^
    (tables[768 + (high & 255)] ?? 0) ^
    (tables[512 + ((high >>> 8) & 255)] ?? 0) ^
    (tables[256 + ((high >>> 16) & 255)] ?? 0) ^
    (tables[high >>> 24] ?? 0)
  );
}

const WORDS = 8;
/** The polynomial, mirrored: the lower and the higher half. */
const [POLYNOMIAL_LOW, POLYNOMIAL_HIGH] = [0xac4bc9b5, 0x95ac9329];
/** Eight tables of 256, one for each distance. */
const [LOW, HIGH] = [new Int32Array(WORDS * 256), new Int32Array(WORDS * 256)];
for (let byte = 0; byte < 256; byte++) {
  let [low, high] = [byte, 0];
  for (let bit = 0; bit < 8; bit++) {
    const isOdd = (low & 1) === 1;
    low = (low >>> 1) | (high << 31);
    high >>>= 1;
    if (!isOdd) continue;
    low ^= POLYNOMIAL_LOW;
    high ^= POLYNOMIAL_HIGH;
  }
  LOW[byte] = low;
  HIGH[byte] = high;
}
for (let index = 256; index < WORDS * 256; index++) {
  const [low, high] = [LOW[index - 256] ?? 0, HIGH[index - 256] ?? 0];
  LOW[index] = ((low >>> 8) | (high << 24)) ^ (LOW[low & 255] ?? 0);
  HIGH[index] = (high >>> 8) ^ (HIGH[low & 255] ?? 0);
}
