import { Push, ReplyError, type Reply } from "../../../../src/ports/resp/reply.ts";
import type { Answer, Answered } from "../stories/story.ts";

/** A reply of the wire as models read it: maps list keys and values one after the other. */
export function readable(reply: Reply): Answered {
  if (reply === null || typeof reply === "number") return reply;
  if (reply instanceof ReplyError) return { error: reply.message };
  if (reply instanceof Push) return reply.values.map(readable);
  if (reply instanceof Map) return [...reply].flat().map(readable);
  if (Array.isArray(reply)) return reply.map(readable);
  return reply instanceof Uint8Array ? Buffer.from(reply).toString() : String(reply);
}

/** The answer that a reply is. */
export function answerIn(reply: Reply): Answer {
  return reply instanceof ReplyError
    ? { kind: "error", text: reply.message }
    : { kind: "reply", reply: readable(reply) };
}
