import { encodeCommand } from "../../../ports/resp/encode.ts";
import { argumentsOf, keyword } from "./arguments.ts";

/**
 * The same blocking request with the rest of its timeout after `waitedMs`, at least 1 ms, as 0 means no timeout. A
 * request without timeout, or with 0, is returned unchanged.
 */
export function withRemainingTimeout(request: Buffer, waitedMs: number): Buffer {
  const args = argumentsOf(request);
  const timeout = timeoutIn(args);
  if (timeout === undefined) return request;
  const given = Number(args[timeout.at]?.toString());
  if (!(given > 0)) return request;
  const left = Math.max(1, (timeout.unit === "s" ? given * 1000 : given) - waitedMs);
  const text = timeout.unit === "s" ? (left / 1000).toFixed(3) : String(Math.ceil(left));
  return encodeCommand(args.map((argument, i) => (i === timeout.at ? text : argument)));
}

interface TimeoutArgument {
  readonly at: number;
  readonly unit: "s" | "ms";
}

function timeoutIn(args: readonly Buffer[]): TimeoutArgument | undefined {
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
