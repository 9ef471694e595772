/** A number of 64 bits as engines read it from an argument: without blanks, plus sign or leading zeros; undefined for any other text. */
export function integerIn(text: string): bigint | undefined {
  if (!/^(?:0|-?[1-9][0-9]{0,18})$/.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
