/** What a parameter of engines may be. */
export interface ParameterValues {
  /** The form of a value in specs, without the largest values that engines take. */
  readonly pattern: RegExp;
  /** A value as engines take it, in the form in which engines show it; what they say where it cannot be one. */
  parse(written: string): ParsedValue;
}

/** A value, or the reason of an engine why it is none. */
export type ParsedValue = { readonly value: string } | { readonly objection: string };

/** Whole numbers between two. */
export function integers(pattern: RegExp, least: bigint, most: bigint): ParameterValues {
  const parse = (written: string): ParsedValue => {
    const value = /^(0|-?[1-9][0-9]{0,18})$/.test(written) ? BigInt(written) : undefined;
    if (value === undefined || BigInt.asIntN(64, value) !== value)
      return { objection: "argument couldn't be parsed into an integer" };
    return value < least || value > most ? outside(least, most) : { value: written };
  };
  return { pattern, parse };
}

/** Numbers of bytes, which engines also take with a unit. */
export function byteSizes(pattern: RegExp, most: bigint): ParameterValues {
  const parse = (written: string): ParsedValue => {
    const [, digits, unit = ""] = /^([0-9]{1,19})([a-z]*)$/i.exec(written) ?? [];
    const factor = UNITS[unit.toLowerCase()];
    if (digits === undefined || factor === undefined) return { objection: "argument must be a memory value" };
    const value = BigInt(digits) * BigInt(factor);
    return value > most ? outside(0n, most) : { value: String(value) };
  };
  return { pattern, parse };
}

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 1_000,
  kb: 1_024,
  m: 1_000_000,
  mb: 1_048_576,
  g: 1_000_000_000,
  gb: 1_073_741_824,
};

function outside(least: bigint, most: bigint): ParsedValue {
  return { objection: `argument must be between ${least} and ${most} inclusive` };
}

const EVENTS = /^[KEg$lshzxeAtdmn]*$/;
/** The events that `A` stands for, in the order in which engines show them. */
const ALL_EVENTS = [..."g$lshzxetd"];

/** Classes of events, by letters. */
export const EVENT_CLASSES: ParameterValues = {
  pattern: EVENTS,
  parse: (written) => {
    if (!EVENTS.test(written)) return { objection: "Invalid event class character. Use 'Ag$lshzxeKEtmdn'." };
    const has = (letter: string): boolean => written.includes(letter);
    const isAll = has("A") || ALL_EVENTS.every(has);
    const classes = isAll ? ["A"] : [...ALL_EVENTS, "n"].filter(has);
    return { value: [...classes, ...["K", "E", "m"].filter(has)].join("") };
  },
};
