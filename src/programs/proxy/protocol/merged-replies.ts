import { FrameScanner } from "../../../ports/resp/frame-scanner.ts";
import { arrayReply, integerReply, replies as known } from "./replies.ts";

/** Whole replies of several shards to parts of one request, made to the reply to the request. An error of one of them is the reply. */
type Merge = (replies: readonly Buffer[]) => Buffer;

/** The sum of integers. */
export const mergeSums: Merge = unlessFailed((replies) =>
  integerReply(replies.reduce((sum, reply) => sum + Number(reply.toString("latin1", 1, reply.length - LINE_END)), 0)),
);

/** OK, as all of them are. */
export const mergeOks: Merge = unlessFailed(() => known.ok);

/** The elements of all arrays, one array behind the other. */
export const mergeArrays: Merge = unlessFailed((replies) => arrayReply(replies.flatMap(elementsOf)));

/** An array of so many elements, those of each reply at the places that the request has them at. */
export function mergeAt(places: readonly (readonly number[])[], count: number): Merge {
  return unlessFailed((replies) => {
    const placed = new Array<Buffer>(count).fill(NONE);
    for (const [part, reply] of replies.entries())
      for (const [at, element] of elementsOf(reply).entries()) placed[places[part]?.[at] ?? 0] = element;
    return arrayReply(placed);
  });
}

function unlessFailed(merge: Merge): Merge {
  return (replies) => replies.find((reply) => reply[0] === MINUS) ?? merge(replies);
}

/** The elements of an array, encoded. */
function elementsOf(reply: Buffer): readonly Buffer[] {
  const elements: Buffer[] = [];
  const scanner = new FrameScanner({ maxFrameBytes: reply.length });
  for (let at = reply.indexOf(LF) + 1; at < reply.length;) {
    const past = scanner.next(reply, at, reply.length);
    elements.push(reply.subarray(at, past));
    at = past;
  }
  return elements;
}

const [MINUS, LF] = [45, 10];
const LINE_END = 2;
const NONE = Buffer.alloc(0);
