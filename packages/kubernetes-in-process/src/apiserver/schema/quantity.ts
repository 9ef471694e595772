import { isArray, isJsonObject } from "./json.ts";
import { memberSchema, type Schema } from "./schema.ts";

/** The mark of a schema whose values are quantities; set where the built-in definitions are read. */
export const QUANTITY_FORMAT = "quantity";

/** `value` with every quantity in it as servers store it: `1000m` becomes `1`, `0.5Gi` becomes `512Mi`, a number a text. */
export function canonicalQuantities(schema: Schema, value: unknown): unknown {
  if (schema.format === QUANTITY_FORMAT) return canonicalQuantity(value);
  const { items } = schema;
  if (isArray(value)) return items === undefined ? value : value.map((item) => canonicalQuantities(items, item));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => {
    const known = memberSchema(schema, key);
    return [key, known === undefined ? member : canonicalQuantities(known, member)] as const;
  });
  return Object.fromEntries(members);
}

/** The canonical text of a quantity; what is no quantity, or is written with an exponent, stays as it is. */
export function canonicalQuantity(value: unknown): unknown {
  const text = typeof value === "number" ? String(value) : value;
  const found = typeof text === "string" ? AMOUNT.exec(text) : null;
  const [, sign = "", whole = "", fraction = "", suffix = ""] = found ?? [];
  if (whole + fraction === "") return text;
  const nanos = nanosOf(whole, fraction, suffix);
  const isEven = suffix.endsWith("i") && nanos % NANOS === 0n && nanos >= 1024n * NANOS;
  return (sign === "-" && nanos !== 0n ? "-" : "") + (isEven ? inBinary(nanos / NANOS) : inDecimal(nanos));
}

const AMOUNT = /^([+-]?)(\d*)(?:\.(\d*))?([numkMGTPE]|[KMGTPE]i|)$/;

/** In billionths, and never less than asked for. */
function nanosOf(whole: string, fraction: string, suffix: string): bigint {
  const unit = suffix.endsWith("i")
    ? 1024n ** BigInt(1 + BINARY.indexOf(suffix)) * NANOS
    : 1000n ** BigInt(DECIMAL.indexOf(suffix));
  const scaled = BigInt(whole + fraction) * unit;
  const divisor = 10n ** BigInt(fraction.length);
  return scaled % divisor === 0n ? scaled / divisor : scaled / divisor + 1n;
}

const NANOS = 1_000_000_000n;
const BINARY = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
/** From 10⁻⁹ on, each a thousand times the one before. */
const DECIMAL = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];

function inBinary(amount: bigint): string {
  let rest = amount;
  let power = 0;
  for (; rest % 1024n === 0n && power < BINARY.length; power += 1) rest /= 1024n;
  return `${rest}${power === 0 ? "" : (BINARY[power - 1] ?? "")}`;
}

function inDecimal(nanos: bigint): string {
  if (nanos === 0n) return "0";
  let rest = nanos;
  let power = 0;
  for (; rest % 1000n === 0n && power < DECIMAL.length - 1; power += 1) rest /= 1000n;
  return `${rest}${DECIMAL[power] ?? ""}`;
}
