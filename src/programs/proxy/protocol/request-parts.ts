import { locateParts, type LocatedParts } from "../../../core/base/located-parts.ts";
import { keyword } from "./arguments.ts";

/**
 * Where the parts of a request stand among its arguments, by the syntax that engines document; a subcommand is `CLIENT|TRACKING`.
 * Undefined when no engine would take the request.
 */
export function requestParts(command: string, args: readonly Buffer[]): LocatedParts | undefined {
  const from = command.split("|").length;
  const found = locateParts(command, { length: args.length - from, wordAt: (at) => keyword(args[at + from]) });
  return found && new Map([...found].map(([name, at]) => [name, at + from]));
}
