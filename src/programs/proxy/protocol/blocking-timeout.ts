import { encodeCommand } from "../../../ports/resp/encode.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { keyword } from "./arguments.ts";
import { requestParts } from "./request-parts.ts";

/**
 * The blocking request with the rest of its timeout after `waitedMs`, at least 1 ms, as 0 means no timeout. A request without timeout, or with
 * 0, is returned unchanged.
 */
export function withRemainingTimeout(request: Buffer, waitedMs: number): Buffer {
  const given = timeoutIn(request);
  if (given === undefined) return request;
  const left = Math.max(1, given.ms - waitedMs);
  const text = given.isInSeconds ? (left / 1000).toFixed(3) : String(Math.ceil(left));
  return encodeCommand(given.args.map((argument, i) => (i === given.at ? text : argument)));
}

/** For how long a blocking request waits at most, in milliseconds; undefined without timeout, or with 0. */
export function blockingTimeoutMs(request: Buffer): number | undefined {
  return timeoutIn(request)?.ms;
}

interface GivenTimeout {
  readonly args: readonly Buffer[];
  /** Its place among them. */
  readonly at: number;
  readonly ms: number;
  readonly isInSeconds: boolean;
}

function timeoutIn(request: Buffer): GivenTimeout | undefined {
  const args = requestArguments(request);
  const name = keyword(args[0]);
  const parts = requestParts(name, args);
  const at = parts?.get("milliseconds") ?? parts?.get("timeout");
  if (at === undefined) return undefined;
  const given = Number(args[at]?.toString());
  if (!(given > 0)) return undefined;
  const isInSeconds = !IN_MILLISECONDS.has(name);
  return { args, at, ms: isInSeconds ? given * 1000 : given, isInSeconds };
}

const IN_MILLISECONDS: ReadonlySet<string> = new Set(["XREAD", "XREADGROUP", "WAIT", "WAITAOF"]);
