/** The bytes that engines have packed with LZF; undefined when they are not so many, or what is packed is damaged. */
export function unpackLzf(packed: Uint8Array, size: number): Uint8Array | undefined {
  // what is claimed is not believed before
  return size > packed.length * LONGEST ? undefined : unpackInto(new Uint8Array(size), packed);
}

function unpackInto(out: Uint8Array, packed: Uint8Array): Uint8Array | undefined {
  const size = out.length;
  let [at, to] = [0, 0];
  while (at < packed.length) {
    const control = packed[at++] ?? 0;
    if (control < LITERAL) {
      const past = at + control + 1;
      if (past > packed.length || to + control + 1 > size) return undefined;
      out.set(packed.subarray(at, past), to);
      to += control + 1;
      at = past;
      continue;
    }
    let length = (control >> 5) + 2;
    if (length === LONG) length += packed[at++] ?? 0;
    let from = to - ((control & 31) << 8) - (packed[at++] ?? 0) - 1;
    if (from < 0 || to + length > size) return undefined;
    // byte by byte: what is repeated may overlap itself
    for (; length > 0; length--) out[to++] = out[from++] ?? 0;
  }
  return to === size ? out : undefined;
}

const LITERAL = 32;
/** With seven in its three bits, the length goes on in a byte of its own. */
const LONG = 9;
/** A byte of what is packed stands for fewer: seven and two, and what the byte of its own says. */
const LONGEST = LONG + 255;
