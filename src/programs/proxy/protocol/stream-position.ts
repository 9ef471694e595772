import { decodeReply } from "../../../ports/resp/decode.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { keyword } from "./arguments.ts";
import { requestParts } from "./request-parts.ts";

/**
 * The streams that an XREAD reads from `$`, which means "from now on". At another engine "now" is later, and entries in
 * between would be missed: the request is sent with the last ids of the streams instead.
 */
export function streamsFromNow(request: Buffer): readonly Buffer[] {
  const args = requestArguments(request);
  return keyword(args[0]) === "XREAD" ? dollarPositions(args).map(({ key }) => key) : [];
}

/** The last id of a stream, from the reply to XINFO STREAM; `$` when the reply does not say. */
export function lastIdOf(answer: Buffer): string {
  const reply: Reply = decodeReply(answer);
  if (reply instanceof Map) return String(reply.get("last-generated-id") ?? "$");
  if (Array.isArray(reply)) return String(reply[reply.indexOf("last-generated-id") + 1] ?? "$");
  return answer.includes("no such key") ? "0-0" : "$";
}

/** The request with these ids instead of each `$`, in order. */
export function withIds(request: Buffer, ids: readonly string[]): Buffer {
  const args: (Buffer | string)[] = requestArguments(request);
  dollarPositions(requestArguments(request)).forEach(({ at }, i) => {
    args[at] = ids[i] ?? "$";
  });
  return encodeCommand(args);
}

function dollarPositions(args: readonly Buffer[]): readonly { readonly key: Buffer; readonly at: number }[] {
  const parts = requestParts("XREAD", args);
  const [firstKey, firstId] = [parts?.get("key"), parts?.get("id")];
  if (firstKey === undefined || firstId === undefined) return [];
  return args
    .slice(firstKey, firstId)
    .map((key, i) => ({ key, at: firstId + i }))
    .filter(({ at }) => args[at]?.toString() === "$");
}
