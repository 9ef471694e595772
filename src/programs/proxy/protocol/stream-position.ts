import { decodeReply } from "../../../ports/resp/decode.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import { argumentsOf, keyword } from "./arguments.ts";

/**
 * The streams that an XREAD reads from `$`, "what comes from now on". At another engine "now" would be later, and what came
 * in between would be missed: the request is sent with the streams' last ids instead.
 */
export function streamsFromNow(request: Buffer): readonly Buffer[] {
  const args = argumentsOf(request);
  return keyword(args[0]) === "XREAD" ? places(args).map(({ key }) => key) : [];
}

/** The last id of a stream out of the answer to XINFO STREAM; `$` when the answer does not tell. */
export function lastIdOf(answer: Buffer): string {
  const reply: Reply = decodeReply(answer);
  if (reply instanceof Map) return String(reply.get("last-generated-id") ?? "$");
  if (Array.isArray(reply)) return String(reply[reply.indexOf("last-generated-id") + 1] ?? "$");
  return answer.includes("no such key") ? "0-0" : "$";
}

/** The request with these ids in the place of its `$`, in order. */
export function withIds(request: Buffer, ids: readonly string[]): Buffer {
  const args: (Buffer | string)[] = argumentsOf(request);
  places(argumentsOf(request)).forEach(({ at }, i) => {
    args[at] = ids[i] ?? "$";
  });
  return encodeCommand(args);
}

function places(args: readonly Buffer[]): readonly { readonly key: Buffer; readonly at: number }[] {
  const streams = args.findIndex((argument) => keyword(argument) === "STREAMS") + 1;
  const count = (args.length - streams) / 2;
  if (streams === 0 || !Number.isInteger(count)) return [];
  return args
    .slice(streams, streams + count)
    .map((key, i) => ({ key, at: streams + count + i }))
    .filter(({ at }) => args[at]?.toString() === "$");
}
