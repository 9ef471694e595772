import type { LifePart } from "../client/session-parts.ts";
import type { Wire } from "../upstream/wire.ts";
import { lifeMachine } from "./life-states.ts";
import type { OwnParts } from "./own-parts.ts";
import type { SessionEvents } from "./session-events.ts";

/** The life of one session: its requests are taken until it is to end, and its parts end with it. */
export class SessionLife implements LifePart {
  inputEnded = false;
  readonly #parts: OwnParts;
  readonly #wire: Wire;
  readonly #events: SessionEvents;
  readonly #machine = lifeMachine();

  constructor(parts: OwnParts, wire: Wire, events: SessionEvents) {
    this.#parts = parts;
    this.#wire = wire;
    this.#events = events;
  }

  get takesRequests(): boolean {
    return this.#machine.state === "open" || this.#machine.state === "draining";
  }

  get finishing(): boolean {
    return this.#machine.state === "finishing";
  }

  get ended(): boolean {
    return this.#machine.state === "closed";
  }

  /** Goes on with what was begun, now that perhaps nothing is in flight any more. */
  settled(): void {
    if (this.#machine.state === "finishing") this.finish();
    else if (this.#machine.state === "draining") this.drain();
  }

  /** Ends at the next boundary between requests and transactions. */
  drain(): void {
    this.#machine.apply("drain");
    const { pinned, uploads } = this.#parts;
    const isUnfinished = pinned.current?.work.transactionPending === true || uploads.current !== undefined;
    if (this.#machine.state === "draining" && !isUnfinished) this.finish();
  }

  /** Ends at the next boundary between requests, at once when nothing is pending. */
  finish(): void {
    this.#machine.apply("finish");
    if (this.#machine.state !== "finishing") return;
    const { uploads, work, turns } = this.#parts;
    if (uploads.current?.incomplete === true) uploads.drop();
    if (!work.hasPending && !turns.isWaiting && !work.crossing.isDue) this.#sendFin();
  }

  /** As `drain`, but takes a blocking command back and does not wait for the end of a transaction. */
  drainNow(): void {
    this.finish();
    this.#parts.moving.withdraw();
  }

  /** `isUnread`: the kernel need not keep what it was given for the client. */
  cut(why: string, isUnread = false): void {
    if (this.ended) return;
    const { endpoint, identity } = this.#parts;
    endpoint.counters.cut++;
    endpoint.log.warn("client connection cut", { why, client: identity.address });
    if (isUnread) this.#wire.reset();
    this.destroy();
  }

  /** Ends at once, whatever is pending. */
  destroy(): void {
    this.#wire.destroy();
    this.close();
  }

  /** The client sends nothing more: the session ends when all was taken. To be called again when more was. */
  endInput(): void {
    this.inputEnded = true;
    if (this.#parts.turns.reader.empty) this.finish();
    // an element that a blocking command gets for a client that is gone would be lost
    this.#parts.pinned.current?.work.endedInput.begin();
  }

  /** The connection is gone. */
  close(): void {
    if (!this.#machine.apply("close")) return;
    const { turns, output, invalidations, shared, work, uploads, pinned } = this.#parts;
    turns.reader.drop();
    output.stop();
    invalidations.close();
    shared.drop();
    work.crossing.drop();
    uploads.drop();
    pinned.release();
    this.#events.ended();
  }

  #sendFin(): void {
    this.#machine.apply("send-fin");
    const { turns, output, invalidations, pinned } = this.#parts;
    turns.reader.drop();
    invalidations.close();
    pinned.release();
    output.end(turns.reader.protocolError);
    turns.reader.resume();
  }
}
