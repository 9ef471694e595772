import { FrameScanner } from "../../../ports/resp/frame-scanner.ts";
import { AccountedBytes } from "../limits/accounted-bytes.ts";
import { OVER_BUDGET } from "../limits/memory-budget.ts";
import { arrayReply } from "../protocol/replies.ts";
import { withTag } from "../scan/cursor.ts";
import type { SpecialRequest } from "./open-transaction.ts";
import type { PendingRequest } from "./pending-request.ts";
import type { PinnedParts } from "./pinned-parts.ts";

type Special = ReadonlyMap<number, SpecialRequest>;

/** The parts of the session that putting a reply together uses. */
type AnsweringParts = Pick<PinnedParts, "turns" | "life"> & {
  readonly endpoint: Pick<PinnedParts["endpoint"], "memory">;
};

/** The reply to EXEC, with the proxy's answers where stand-ins were executed; undefined when there are none. */
export function withOwnAnswers(
  { special = NOTHING }: PendingRequest,
  frame: Buffer,
  parts: AnsweringParts,
): Promise<Buffer> | undefined {
  const hasOwn = [...special.values()].some(({ isOwn }) => isOwn);
  const executed = hasOwn ? repliesIn(frame) : undefined;
  return executed === undefined ? undefined : answersIn(executed, special, frame.length, parts);
}

/** The reply to EXEC, with the cursors of its scans as clients get them. */
export function withScanTags({ scans = [], tag }: PendingRequest, frame: Buffer): Buffer {
  const executed = scans.length === 0 || tag === undefined ? undefined : repliesIn(frame);
  if (executed === undefined || tag === undefined) return frame;
  const places = new Set(scans);
  return arrayReply(executed.map((reply, at) => (places.has(at) ? withTag(reply, tag) : reply)));
}

/** The SELECTs that the engine has executed in a transaction, in their order. */
export function selectsIn({ special = NOTHING }: PendingRequest, frame: Buffer): readonly Buffer[] {
  const executed = special.size === 0 ? [] : (repliesIn(frame) ?? []);
  return [...special].flatMap(([at, { request, isOwn }]) => (!isOwn && executed[at]?.[0] === PLUS ? [request] : []));
}

async function answersIn(
  executed: readonly Buffer[],
  special: Special,
  frameBytes: number,
  parts: AnsweringParts,
): Promise<Buffer> {
  const replies = [...executed];
  const held = new AccountedBytes(parts.endpoint.memory, () => {
    parts.life.cut(`the reply to its EXEC is put together, and ${OVER_BUDGET}`);
  });
  let bytes = frameBytes;
  held.set(bytes);
  // one after the other: what one does, the next one sees
  for (const [at, { request, isOwn }] of special) {
    if (parts.life.ended) break;
    if (!isOwn) continue;
    const own = await parts.turns.answerTo(request);
    replies[at] = own;
    held.set((bytes += own.length));
  }
  held.set(0);
  return arrayReply(parts.life.ended ? [] : replies);
}

/** The whole reply to each request of the transaction; undefined when it was not executed. */
export function repliesIn(frame: Buffer): readonly Buffer[] | undefined {
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
