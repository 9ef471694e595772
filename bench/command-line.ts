import { parseArgs } from "node:util";
import { messageOf } from "#kit/base/fault";

/** Options with their defaults, each of which says what kind it is: number, list of numbers, text, flag, or text that may be given repeatedly. */
export type Defaults = Readonly<Record<string, number | readonly number[] | string | boolean | readonly string[]>>;

/** Of the kinds that the defaults say. */
export type Options<Wanted extends Defaults> = {
  readonly [Name in keyof Wanted]: Wanted[Name] extends number
    ? number
    : Wanted[Name] extends readonly string[]
      ? readonly string[]
      : Wanted[Name] extends string
        ? string
        : Wanted[Name] extends boolean
          ? boolean
          : readonly number[];
};

/** A whole number of the command line, without a name, and its default. */
export type Count = readonly [what: string, fallback: number];

/** Whole numbers in this order, and options; ends the process with 2 on anything else, and says what can be given. */
export function commandLine<const Wanted extends Defaults>(
  defaults: Wanted,
  wanted: readonly Count[] = [],
): { readonly counts: readonly number[]; readonly options: Options<Wanted> } {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: wanted.length > 0,
      options: Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, kindOf(value)])),
    });
    if (positionals.length > wanted.length) throw new Error(`too many numbers: ${positionals.join(" ")}`);
    const options = Object.entries(defaults).map(([name, fallback]) => [name, valueOf(name, values[name], fallback)]);
    return {
      counts: wanted.map(([what, fallback], at) => countOf(what, positionals[at] ?? String(fallback))),
      options: Object.fromEntries(options) as Options<Wanted>,
    };
  } catch (error) {
    const numbers = wanted.map(([what, fallback]) => `[${what}: ${fallback}]`);
    const words = [...numbers, ...optionWords(defaults)].join(" ");
    process.stderr.write(`${firstSentence(error)}\nIt takes ${words === "" ? "nothing" : words}\n`);
    process.exit(2);
  }
}

/** What an option names, with commas between; ends the process with 2 on any other name. */
export function namesOf<const Name extends string>(
  option: string,
  given: string,
  allowed: readonly Name[],
): readonly Name[] {
  return given.split(",").map((word) => {
    const name = allowed.find((one) => one === word);
    if (name !== undefined) return name;
    process.stderr.write(`--${option} takes ${allowed.join(", ")}, with commas between, not "${word}"\n`);
    process.exit(2);
  });
}

function kindOf(value: Defaults[string]) {
  if (typeof value === "boolean") return { type: "boolean" } as const;
  return { type: "string", multiple: isTexts(value) } as const;
}

function isTexts(value: Defaults[string]): value is readonly string[] {
  return Array.isArray(value) && typeof value[0] !== "number";
}

function valueOf(name: string, given: unknown, fallback: Defaults[string]): Defaults[string] {
  if (given === undefined) return fallback;
  if (typeof fallback === "number") return numberOf(name, String(given));
  if (Array.isArray(fallback) && !isTexts(fallback))
    return String(given)
      .split(",")
      .map((text) => numberOf(name, text));
  return given as string | boolean | readonly string[];
}

function numberOf(name: string, text: string): number {
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(text)) throw new Error(`--${name} takes a number, not "${text}"`);
  return Number(text);
}

function countOf(what: string, word: string): number {
  if (!/^\d{1,6}$/.test(word)) throw new Error(`"${what}" is a whole number, not "${word}"`);
  return Number(word);
}

function optionWords(defaults: Defaults): readonly string[] {
  return Object.entries(defaults).map(([name, fallback]) => {
    if (typeof fallback === "boolean") return `[--${name}]`;
    const shown = isTexts(fallback) ? "..." : String(fallback);
    return `[--${name} ${shown === "" ? '""' : shown}]`;
  });
}

/** Node.js adds how words that begin with "--" could be meant otherwise. */
function firstSentence(error: unknown): string {
  return messageOf(error).split(/\. |\n/)[0] ?? "";
}
