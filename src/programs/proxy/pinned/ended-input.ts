import type { SessionParts } from "../client/session-parts.ts";
import type { Pin } from "../upstream/pin.ts";
import type { PendingQueue } from "./pending-queue.ts";

type EndingLife = Pick<SessionParts["life"], "finish">;
type UnansweredRequests = Pick<PendingQueue, "blocking" | "hasRefused" | "hasWaited" | "drop">;

/**
 * A client of a pinned session that sends nothing more. Its engine decides what becomes of its blocking command, as for a client of its own: it
 * reads the end of the input behind the command, and so it answers with what is there, or ends the connection and takes nothing.
 */
export class EndedInput {
  readonly #life: EndingLife;
  readonly #pending: UnansweredRequests;
  readonly #pin: () => Pin | undefined;
  #hasBegun = false;
  /** The connection that the engine ends. */
  #ending: Pin | undefined;

  constructor(life: EndingLife, pending: UnansweredRequests, pin: () => Pin | undefined) {
    this.#life = life;
    this.#pending = pending;
    this.#pin = pin;
  }

  /** The client sends nothing more. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** The engine gets nothing more over the present connection, which it ends behind its last answer. */
  get isEnding(): boolean {
    return this.#ending !== undefined && this.#ending === this.#pin();
  }

  /** Notes that the client sends nothing more. */
  begin(): void {
    this.#hasBegun = true;
    this.look();
  }

  /** To be called when the engine may have come to a blocking command, or may have ended the wait of one. */
  look(): void {
    if (!this.#hasBegun) return;
    if (this.#pending.hasWaited) this.end();
    else if (this.#pending.blocking !== undefined && !this.#pending.hasRefused) this.#endInput();
  }

  /** Ends the session as an engine does: what waits is not executed. */
  end(): void {
    this.#pending.drop();
    this.#life.finish();
  }

  #endInput(): void {
    this.#ending = this.#pin();
    void this.#ending?.endInput();
  }
}
