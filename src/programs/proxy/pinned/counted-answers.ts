import type { Pin } from "../upstream/pin.ts";
import type { ConnectionState } from "./connection-state.ts";
import { hasFailed, isRepeatable, type PendingRequest } from "./pending-request.ts";
import { wholeAnswer, type PendingQueue } from "./pending-queue.ts";
import type { PinnedCommands } from "./pinned-commands.ts";
import type { PinnedParts } from "./pinned-parts.ts";
import { ReplyEffects } from "./reply-effects.ts";
import { shownReply } from "./tracking-replies.ts";

/** The parts of a pinned session that an answer changes. */
interface AnsweredParts {
  readonly state: ConnectionState;
  readonly pending: PendingQueue;
  readonly commands: Pick<PinnedCommands, "answered">;
  /** The connection that the answer came over, unless it is gone. */
  readonly pin: () => Pin | undefined;
}

/** What becomes of the answers of an engine: each counts, or its request is sent again, in the order of the client. */
export class CountedAnswers {
  readonly #parts: PinnedParts;
  readonly #answered: AnsweredParts;
  readonly #effects: ReplyEffects;

  constructor(parts: PinnedParts, answered: AnsweredParts) {
    this.#parts = parts;
    this.#answered = answered;
    this.#effects = new ReplyEffects(parts, answered.state);
  }

  /** `refused`: the request was not executed. `keeps`: its client may get this answer instead of another attempt. */
  take(pending: PendingRequest, frame: Buffer, refused: boolean, keeps: boolean): void {
    const queue = this.#answered.pending;
    if (refused) queue.refuse(pending, keeps ? frame : undefined);
    else if (queue.hasRefused) this.#keepBehindRefused(pending, wholeAnswer(pending, frame));
    else this.#accept(pending, frame);
  }

  #accept(pending: PendingRequest, frame: Buffer): void {
    const { state, commands, pin, pending: queue } = this.#answered;
    this.#effects.apply(pending, frame, pin());
    const answer = (reply: Buffer): void =>
      void queue.answer(this.#parts, pending, shownReply(state.tracking, pending, reply));
    if (pending.kind !== "internal") commands.answered(pending, frame, answer);
  }

  /** All requests behind one that was not executed must wait for it; a request that was executed all the same cannot. */
  #keepBehindRefused(pending: PendingRequest, frame: Buffer | undefined): void {
    const queue = this.#answered.pending;
    if (frame === undefined) return;
    if (hasFailed(pending, frame) || isRepeatable(pending)) queue.refuse(pending, frame);
    else if (queue.mayGiveUp) {
      for (const { answer = frame, ...refused } of queue.takeRefused()) this.#accept(refused, answer);
      this.#accept(pending, frame);
    } else this.#parts.life.cut("a request was executed although an earlier one was not");
  }
}
