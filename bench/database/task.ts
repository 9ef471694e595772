import { parseArgs } from "node:util";

/** How often each thing is to happen, and the words after options. */
export interface BenchTask<Option extends string> {
  readonly counts: readonly number[];
  readonly options: Readonly<Record<Option, string>>;
}

/** Whole numbers from the command line, in this order, and options, each with its default; ends the process with 2 on anything else. */
export function taskOf<Option extends string>(
  wanted: readonly (readonly [what: string, fallback: number])[],
  options: Readonly<Record<Option, string>>,
): BenchTask<Option> {
  try {
    const known = Object.keys(options).map((name) => [name, { type: "string" }] as const);
    const { positionals, values } = parseArgs({ allowPositionals: true, options: Object.fromEntries(known) });
    if (positionals.length > wanted.length) throw new Error(`too many numbers: ${positionals.join(" ")}`);
    return {
      counts: wanted.map(([what, fallback], at) => countOf(what, positionals[at] ?? String(fallback))),
      options: { ...options, ...values },
    };
  } catch (error) {
    const numbers = wanted.map(([what, fallback]) => `[${what}: ${fallback}]`);
    const words = Object.entries(options).map(([name, fallback]) => `[--${name} ${String(fallback)}]`);
    process.stderr.write(`${String(error)}\ntakes ${[...numbers, ...words].join(" ")}\n`);
    process.exit(2);
  }
}

function countOf(what: string, word: string): number {
  if (!/^\d{1,6}$/.test(word)) throw new Error(`${what} is a whole number, not ${word}`);
  return Number(word);
}
