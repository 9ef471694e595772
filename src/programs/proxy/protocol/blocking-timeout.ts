import { encodeCommand } from "../../../ports/resp/encode.ts";
import { argumentsOf, keyword } from "./arguments.ts";
import { partsOf } from "./request-parts.ts";

/**
 * The same blocking request with the rest of its timeout after `waitedMs`, at least 1 ms, as 0 means no timeout. A
 * request without timeout, or with 0, is returned unchanged.
 */
export function withRemainingTimeout(request: Buffer, waitedMs: number): Buffer {
  const args = argumentsOf(request);
  const name = keyword(args[0]);
  const parts = partsOf(name, args);
  const at = parts?.get("milliseconds") ?? parts?.get("timeout");
  if (at === undefined) return request;
  const given = Number(args[at]?.toString());
  if (!(given > 0)) return request;
  const isInSeconds = !IN_MILLISECONDS.has(name);
  const left = Math.max(1, (isInSeconds ? given * 1000 : given) - waitedMs);
  const text = isInSeconds ? (left / 1000).toFixed(3) : String(Math.ceil(left));
  return encodeCommand(args.map((argument, i) => (i === at ? text : argument)));
}

const IN_MILLISECONDS: ReadonlySet<string> = new Set(["XREAD", "XREADGROUP", "WAIT", "WAITAOF"]);
