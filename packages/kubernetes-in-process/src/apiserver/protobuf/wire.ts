/** One field of a message as it is written: a number for varints and fixed widths, bytes for everything else. */
export interface WireField {
  readonly number: number;
  readonly value: bigint | Buffer;
}

/** The fields of a protobuf message in their order; throws for bytes that are none. */
export function* wireFields(bytes: Buffer): Generator<WireField> {
  let position = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[position++];
      if (byte === undefined) throw new Error("the message ends within a number");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new Error("a number is too long");
  };
  const take = (length: number): Buffer => {
    if (length > bytes.length - position) throw new Error("the message ends within a field");
    position += length;
    return bytes.subarray(position - length, position);
  };
  while (position < bytes.length) {
    const tag = Number(varint());
    const number = tag >>> 3;
    switch (tag & 7) {
      case 0:
        yield { number, value: varint() };
        break;
      case 1:
        yield { number, value: take(8) };
        break;
      case 2:
        yield { number, value: take(Number(varint())) };
        break;
      case 5:
        yield { number, value: take(4) };
        break;
      default:
        throw new Error(`field ${number} has the unknown wire type ${tag & 7}`);
    }
  }
}
