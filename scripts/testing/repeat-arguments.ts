import type { Choice } from "./select.ts";

/** How often to run which files. */
export interface Repetition extends Choice {
  readonly times: number;
  /** How many of the runs, the last ones, have busy loops beside them. */
  readonly busy: number;
}

/** Reads `<times> [--busy <n>] [<files and folders>]`; throws when they are not that. Without files every file is meant. */
export function repeatArguments(args: readonly string[]): Repetition {
  const [times = "", ...rest] = args;
  const at = rest.indexOf("--busy");
  const busy = at < 0 ? "0" : (rest[at + 1] ?? "");
  const named = at < 0 ? rest : rest.toSpliced(at, 2);
  const repetition = { times: numberOf(times), busy: numberOf(busy), named, tier: "all" as const, options: [] };
  const option = named.find((name) => name.startsWith("-"));
  if (option !== undefined) throw new Error(`there is no option ${option}`);
  if (repetition.times === 0 || repetition.busy > repetition.times)
    throw new Error("the number of runs must be 1 or more, and --busy must not exceed it");
  return repetition;
}

function numberOf(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`"${text}" is not a number: npm run test:repeat -- 10 --busy 3`);
  return Number(text);
}
