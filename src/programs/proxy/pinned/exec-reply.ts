import { FrameScanner } from "../../../ports/resp/frame-scanner.ts";
import { arrayReply } from "../protocol/replies.ts";
import type { SpecialRequest } from "./open-transaction.ts";
import type { PendingRequest } from "./pending-request.ts";

type Special = ReadonlyMap<number, SpecialRequest>;

/** The reply to EXEC, with the proxy's answers where stand-ins were executed; undefined when there are none. */
export function withOwnAnswers(
  { special = NOTHING }: PendingRequest,
  frame: Buffer,
  answerTo: (request: Buffer) => Promise<Buffer>,
): Promise<Buffer> | undefined {
  const hasOwn = [...special.values()].some(({ isOwn }) => isOwn);
  const executed = hasOwn ? repliesIn(frame) : undefined;
  return executed === undefined ? undefined : answersIn(executed, special, answerTo);
}

/** The SELECTs that the engine has executed in a transaction, in their order. */
export function selectsIn({ special = NOTHING }: PendingRequest, frame: Buffer): readonly Buffer[] {
  const executed = special.size === 0 ? [] : (repliesIn(frame) ?? []);
  return [...special].flatMap(([at, { request, isOwn }]) => (!isOwn && executed[at]?.[0] === PLUS ? [request] : []));
}

async function answersIn(
  executed: readonly Buffer[],
  special: Special,
  answerTo: (request: Buffer) => Promise<Buffer>,
): Promise<Buffer> {
  const replies = [...executed];
  // one after the other: what one does, the next one sees
  for (const [at, { request, isOwn }] of special) if (isOwn) replies[at] = await answerTo(request);
  return arrayReply(replies);
}

/** The whole reply to each request of the transaction; undefined when it was not executed. */
function repliesIn(frame: Buffer): readonly Buffer[] | undefined {
  if (frame[0] !== ASTERISK || frame[1] === MINUS) return undefined;
  const scanner = new FrameScanner();
  const replies: Buffer[] = [];
  for (let at = frame.indexOf("\n") + 1; at < frame.length;) {
    const past = scanner.next(frame, at, frame.length);
    replies.push(frame.subarray(at, past));
    at = past;
  }
  return replies;
}

const NOTHING: Special = new Map();
const ASTERISK = 42;
const PLUS = 43;
const MINUS = 45;
