import type { Socket } from "node:net";
import type { TurnsPart } from "../client/session-parts.ts";
import type { CommandEntry } from "../protocol/table/entry.ts";
import type { Lane } from "../upstream/lane.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import { dispatch } from "./dispatch.ts";
import type { CommandParts } from "./dispatch.ts";
import { ownAnswerNow } from "./own-answers.ts";
import type { OwnParts } from "./own-parts.ts";
import { RequestReader, type RequestTaker } from "./request-reader.ts";
import { mayBeMoved } from "./moved-slots.ts";
import { isFree } from "./is-free.ts";

/** The turns of one client: its requests are taken in order, through a shared lane, a pinned connection, or as an upload. */
export class SessionTurns implements TurnsPart, RequestTaker {
  readonly reader: RequestReader;
  readonly #parts: OwnParts & CommandParts;
  readonly #onSettled: () => void;
  /** How much work must be over before the next request can be taken: other shards may serve while a request is at the ones before. */
  #waits = 0;

  /** `onSettled`: no request of the client is at an engine. */
  constructor(parts: OwnParts & CommandParts, socket: Socket, onSettled: () => void) {
    this.#parts = parts;
    this.#onSettled = onSettled;
    this.reader = new RequestReader(parts, socket);
  }

  get isWaiting(): boolean {
    return this.#waits > 0;
  }

  get canTake(): boolean {
    const { life, uploads } = this.#parts;
    if (!life.takesRequests || this.#isDue) return false;
    if (uploads.current !== undefined) return uploads.current.receiving;
    return isFree(this.#parts);
  }

  /** Each request goes to a lane as it is. */
  get isPlain(): boolean {
    const { endpoint, replyMode, pinned, identity } = this.#parts;
    if (endpoint.pause.active || replyMode.single) return false;
    return (
      pinned.current === undefined &&
      identity.authenticated &&
      pinned.listeners?.state.isPlain(identity.settings.protocol) !== false
    );
  }

  /** What the client is sent unasked comes first. */
  get #isDue(): boolean {
    const { work, replyMode, moving, invalidations, pinned } = this.#parts;
    return (
      work.crossing.isDue ||
      replyMode.skipping ||
      moving.isDue ||
      invalidations.isDue ||
      pinned.listeners?.isDue === true
    );
  }

  plainLane(): Lane | undefined {
    // of several shards, the shard of each request says it
    const areMoved = this.#parts.endpoint.table === undefined && mayBeMoved(this.#parts, 0);
    return this.isPlain && !areMoved ? this.#parts.shared.usableLane() : undefined;
  }

  take(request: Buffer, command: CommandEntry | undefined): boolean {
    const { endpoint, replyMode, work } = this.#parts;
    if (endpoint.pause.stops(request)) return false;
    replyMode.begin();
    const taken = dispatch(this.#parts, request, command);
    replyMode.taken(taken, work.hasPending || this.isWaiting);
    return taken;
  }

  answer(reply: Buffer): boolean {
    const { work, endpoint, output } = this.#parts;
    const isBehind = work.hasPending;
    if (isBehind && !work.answerBehind(reply)) return false;
    endpoint.counters.requests++;
    if (!isBehind) output.reply(reply);
    return true;
  }

  answerTo(request: Buffer): Promise<Buffer> {
    return ownAnswerNow(this.#parts, request);
  }

  waitFor(work: Promise<void>): void {
    this.#waits++;
    void work.then(() => {
      this.#waits--;
      this.settled();
      this.pump();
    });
  }

  settled(): void {
    const { work, replyMode, moving, invalidations, pinned, life, uploads } = this.#parts;
    const { crossing } = work;
    if (crossing.isDue) crossing.goOn();
    if (work.busy) {
      this.#settledInPart();
      return;
    }
    this.#onSettled();
    if (!work.hasPending && !this.isWaiting && !crossing.isDue) replyMode.settled();
    moving.settled();
    invalidations.settled();
    if (!this.isWaiting) pinned.listeners?.settled();
    life.settled();
    if (this.reader.waiting || uploads.current !== undefined) this.pump();
  }

  pump(): void {
    const { work, life } = this.#parts;
    if (work.crossing.isDue) {
      work.crossing.goOn();
      if (!work.crossing.isDue) life.settled();
    }
    if (this.reader.pump() && life.inputEnded) life.endInput();
  }

  /** This shard has another primary, or its primary can be reached again. */
  upstreamChanged(primary: PrimaryView): void {
    const { pinned, invalidations, uploads, shared } = this.#parts;
    for (const one of pinned.allAt(primary)) one.upstreamChanged();
    invalidations.upstreamChanged();
    uploads.current?.upstreamChanged();
    shared.resend();
    this.pump();
  }

  /** A client that waits for one of several shards goes on at the others as far as it can. */
  #settledInPart(): void {
    if (this.#parts.endpoint.table === undefined) return;
    this.#onSettled();
    if (this.reader.waiting) this.pump();
  }
}
