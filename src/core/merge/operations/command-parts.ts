import { locateParts, type LocatedParts } from "../../base/located-parts.ts";

/** Where the words and arguments of a command of a stream stand; `args` are those behind its name. Undefined when that cannot be said. */
export function commandParts(command: string, args: readonly string[]): LocatedParts | undefined {
  return locateParts(command, { length: args.length, wordAt: (at) => args[at]?.toUpperCase() ?? "" });
}
