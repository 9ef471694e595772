import { encodeCommand } from "../../../ports/resp/encode.ts";
import { argumentsOf, keyword } from "./arguments.ts";

/**
 * The same blocking request with what is left of its timeout after `waitedMs`; never 0, which would mean for ever. A request
 * without timeout, or with 0, comes back as it is.
 */
export function withRemainingTimeout(request: Buffer, waitedMs: number): Buffer {
  const args = argumentsOf(request);
  const place = timeoutPlace(args);
  if (place === undefined) return request;
  const given = Number(args[place.at]?.toString());
  if (!(given > 0)) return request;
  const left = Math.max(1, (place.unit === "s" ? given * 1000 : given) - waitedMs);
  const text = place.unit === "s" ? (left / 1000).toFixed(3) : String(Math.ceil(left));
  return encodeCommand(args.map((argument, i) => (i === place.at ? text : argument)));
}

interface TimeoutPlace {
  readonly at: number;
  readonly unit: "s" | "ms";
}

function timeoutPlace(args: readonly Buffer[]): TimeoutPlace | undefined {
  switch (keyword(args[0])) {
    case "BLMPOP":
    case "BZMPOP":
      return { at: 1, unit: "s" };
    case "XREAD":
    case "XREADGROUP": {
      const block = args.findIndex((argument) => keyword(argument) === "BLOCK");
      return block < 0 ? undefined : { at: block + 1, unit: "ms" };
    }
    case "WAIT":
    case "WAITAOF":
      return { at: args.length - 1, unit: "ms" };
    default:
      return { at: args.length - 1, unit: "s" };
  }
}
