/** What a client waits for that no engine of the shards before has executed, or whose replies wait behind such a request. */
export type LeftRequest = LeftReply | LeftWhole | LeftParts;

/** Replies that are here. */
interface LeftReply {
  readonly reply: Buffer;
}

/** One request, as it was sent to an engine. */
export interface LeftWhole {
  readonly request: Buffer;
}

/** Makes the reply to a request of the whole replies to its parts. */
type MergeParts = (replies: readonly Buffer[]) => Buffer;

/** A request in parts for several shards: the replies to those that were executed, and the others. */
export interface LeftParts {
  readonly parts: readonly (Buffer | LeftWhole)[];
  readonly merge: MergeParts;
}

/** What is left of a request in parts. `whole`: the request, when it can be repeated. */
export function leftOfParts(
  parts: LeftParts["parts"],
  { merge, whole }: { readonly merge: MergeParts; readonly whole: Buffer | undefined },
): LeftRequest {
  const replies = parts.filter((part) => Buffer.isBuffer(part));
  if (replies.length === parts.length) return { reply: merge(replies) };
  return whole === undefined ? { parts, merge } : { request: whole };
}

/** The memory that it takes. */
export function leftBytes(left: LeftRequest): number {
  if ("reply" in left) return left.reply.length;
  if ("request" in left) return left.request.length;
  return left.parts.reduce((sum, part) => sum + (Buffer.isBuffer(part) ? part : part.request).length, 0);
}
