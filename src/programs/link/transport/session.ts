import { Fault } from "#kit/base/fault";
import type { Clock } from "#kit/base/clock";
import { requireNear } from "../../../core/merge/operations/near-time.ts";
import { decodeOperation, type CodedOperation } from "../../../core/merge/operations/operation-codec.ts";
import { decodeSummary, type SummaryPart } from "../../../core/merge/summary/summary.ts";
import { faults } from "../faults.ts";
import type { Frame } from "./frames.ts";
import { readStatement, unexpectedFrame, type StatementMessage } from "./messages.ts";
import { Sender, type SenderOptions } from "./sender.ts";

/** Two links that have greeted each other. */
export interface SessionOptions extends SenderOptions {
  /** The other site has said what it has received. */
  readonly onStatement: (statement: StatementMessage) => void;
}

/** How often the connection is looked at, in milliseconds. */
const LOOK_MS = 1_000;
/** A connection on which nothing arrives between so many looks is ended. A machine that stands still looks once meanwhile, and has then not been silent for long. */
const SILENT_LOOKS = 5;
/** Operations for which there was no room come again over another connection; before that, this one has time to bring what they follow. */
const NO_ROOM_MS = 5_000;

/**
 * Gives the other site what it lacks and takes what it has, until the connection ends: then it resolves, or rejects with the
 * reason. Operations that came from further sites are passed on when the other end has gone without them for a while.
 */
export async function runSession(options: SessionOptions): Promise<void> {
  const { connection, clock } = options;
  const ending = new AbortController();
  const state: Activity = { lastAt: clock.uptimeMs(), isReading: true };
  const sender = new Sender(options);
  const parts = [receive(options, sender, state), sender.run(ending.signal), watch(options, state, ending.signal)];
  const settled = Promise.allSettled(parts);
  try {
    await Promise.race(parts);
  } finally {
    ending.abort();
    connection.destroy();
    await settled;
  }
}

async function receive(
  { connection, local, remote, clock, onStatement }: SessionOptions,
  sender: Sender,
  state: Activity,
): Promise<void> {
  const summary: SummaryPart[] = [];
  for await (const frame of connection.frames) {
    state.lastAt = clock.uptimeMs();
    switch (frame.kind) {
      case "operation":
        // while there is no room for more, what the other site says meanwhile is not read
        state.isReading = false;
        if (!(await local.received(nearOperation(frame, clock), remote.origin))) state.refusedAt ??= clock.uptimeMs();
        state.isReading = true;
        state.lastAt = clock.uptimeMs();
        break;
      case "summary":
        summary.push(nearSummary(frame, clock));
        if (summary.at(-1)?.isLast !== true) break;
        state.isReading = false;
        await local.receivedSummary(summary.splice(0), remote.origin);
        state.isReading = true;
        state.lastAt = clock.uptimeMs();
        break;
      case "statement": {
        const said = readStatement(frame);
        sender.stated(said.received);
        onStatement(said);
        break;
      }
      default:
        throw unexpectedFrame(frame);
    }
  }
}

function nearOperation({ body }: Frame, clock: Clock): CodedOperation {
  const operation = decodeOperation(body);
  requireNear(operation.at, clock.now().getTime());
  return operation;
}

function nearSummary({ body }: Frame, clock: Clock): SummaryPart {
  const part = decodeSummary(body);
  requireNear(part.clock, clock.now().getTime());
  return part;
}

async function watch({ clock }: SessionOptions, state: Readonly<Activity>, signal: AbortSignal) {
  let silent = 0;
  for (let seenAt = state.lastAt; !signal.aborted; seenAt = state.lastAt) {
    await clock.sleep(LOOK_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
    if (state.refusedAt !== undefined && clock.uptimeMs() - state.refusedAt > NO_ROOM_MS)
      throw new Fault(faults.noRoom, "There was no room for operations that came before those that they follow.");
    silent = state.isReading && state.lastAt === seenAt ? silent + 1 : 0;
    if (silent > SILENT_LOOKS)
      throw new Fault(faults.silent, `The other site has said nothing for ${(SILENT_LOOKS * LOOK_MS) / 1_000} s.`);
  }
}

/** When the other site has said something, whether it is being read, and since when something of it has to come again. */
interface Activity {
  lastAt: number;
  isReading: boolean;
  refusedAt?: number;
}
