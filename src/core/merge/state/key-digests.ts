/**
 * Digests of all keys of a site, summed up for ranges of their names: two sites with the same keys have the same sums. A range of names is one of hashes of
 * names, since engines give keys in different orders.
 */
export class KeyDigests {
  readonly #sums = new Uint32Array(2 * RANGES);
  #keys = 0;

  /** Takes in a key with the digest of what it holds. */
  add(key: string, digest: string): void {
    const { range, low, high } = hashParts(key, digest);
    this.#sums[2 * range] = (this.#sums[2 * range] ?? 0) ^ low;
    this.#sums[2 * range + 1] = (this.#sums[2 * range + 1] ?? 0) ^ high;
    this.#keys += 1;
  }

  /** How many keys were taken in. */
  get keys(): number {
    return this.#keys;
  }

  /** Two numbers for each of so many ranges: a power of two from 1 to 65,536. */
  sums(count: number): Uint32Array {
    const sums = new Uint32Array(2 * count);
    const each = RANGES / count;
    for (let range = 0; range < RANGES; range += 1) {
      const at = 2 * Math.floor(range / each);
      sums[at] = (sums[at] ?? 0) ^ (this.#sums[2 * range] ?? 0);
      sums[at + 1] = (sums[at + 1] ?? 0) ^ (this.#sums[2 * range + 1] ?? 0);
    }
    return sums;
  }
}

/** Into how many ranges so many keys are divided: some keys for each. */
export function rangesFor(keys: number): number {
  let count = LEAST_RANGES;
  while (count < RANGES && count * KEYS_IN_A_RANGE < keys) count *= 2;
  return count;
}

/** True of a number of ranges that sums can be asked for. */
export function isRangeCount(count: number): boolean {
  return Number.isInteger(count) && count >= 1 && count <= RANGES && RANGES % count === 0;
}

/** In which of so many ranges the name is. */
export function rangeOf(key: string, count: number): number {
  return Math.floor(hashParts(key, "").range / (RANGES / count));
}

/** The ranges of which two sites have different sums. */
export function differingRanges(own: Uint32Array, other: Uint32Array): readonly number[] {
  const ranges: number[] = [];
  for (let at = 0; at < own.length; at += 2)
    if (own[at] !== other[at] || own[at + 1] !== other[at + 1]) ranges.push(at / 2);
  return ranges;
}

/** The digest of a key with its name, short: two numbers. */
export function shortDigest(key: string, digest: string): readonly [number, number] {
  const { low, high } = hashParts(key, digest);
  return [low, high];
}

const RANGES = 65_536;
const LEAST_RANGES = 16;
const KEYS_IN_A_RANGE = 16;
const SEPARATOR = 256;
const [LOW, HIGH] = [2_654_435_761, 1_597_334_677];

/** A hash of the name alone says the range; one of both says the rest. */
function hashParts(
  key: string,
  digest: string,
): { readonly range: number; readonly low: number; readonly high: number } {
  let [low, high] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < key.length; at += 1) {
    const code = key.charCodeAt(at);
    low = Math.imul(low ^ code, LOW);
    high = Math.imul(high ^ code, HIGH);
  }
  const range = finalizeHash(low, high) >>> 16;
  low = Math.imul(low ^ SEPARATOR, LOW);
  high = Math.imul(high ^ SEPARATOR, HIGH);
  for (let at = 0; at < digest.length; at += 1) {
    const code = digest.charCodeAt(at);
    low = Math.imul(low ^ code, LOW);
    high = Math.imul(high ^ code, HIGH);
  }
  return { range, low: finalizeHash(low, high), high: finalizeHash(high, low) };
}

function finalizeHash(a: number, b: number): number {
  const once = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  return (once ^ (once >>> 15)) >>> 0;
}
