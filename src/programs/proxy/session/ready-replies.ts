import type { KeptBytes, KeptReplies } from "./kept-replies.ts";
import { SOON } from "./soon.ts";
import { SENT_BYTES, STAGE } from "./stage.ts";
import type { Weave } from "./weave.ts";

/** What the replies whose turn it is need of the queue that they come from. */
export interface ReadyParts {
  readonly kept: KeptReplies;
  /** The requests that come next, when they are woven. */
  readonly next: () => Weave | undefined;
  /** Nothing waits for anything. */
  readonly isEmpty: () => boolean;
  deliver(bytes: Buffer): void;
}

/** The replies to one client whose turn it is: they are sent together, because a write for each would cost more than all else. */
export class ReadyReplies {
  readonly #parts: ReadyParts;
  #first: KeptBytes | undefined;
  #last: KeptBytes | undefined;
  #bytes = 0;
  /** `#sendNow` will be called. */
  #isSoon = false;
  /** How often something was sent, and how often when `#sendNow` was asked for. */
  #sends = 0;
  #sendsBefore = 0;
  #isDropped = false;

  constructor(parts: ReadyParts) {
    this.#parts = parts;
  }

  /** Nothing waits to be sent. */
  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  /** Adds a copy of `bytes` from `start` to `end`. */
  add(bytes: Buffer, start: number, end: number): void {
    this.sendSoon();
    this.#last = this.#parts.kept.keep(this.#last, bytes, start, end);
    this.#first ??= this.#last;
    this.#note(end - start);
  }

  /** Adds what is kept already: `bytes` from `first` to `last`. */
  addKept(first: KeptBytes, last: KeptBytes | undefined, bytes: number): void {
    if (this.#last === undefined) {
      this.sendSoon();
      this.#first = first;
    } else this.#last.next = first;
    this.#last = last;
    this.#note(bytes);
  }

  /** Sends it, and what has arrived of the requests that come next, a little later. */
  sendSoon(): void {
    if (this.#isSoon) return;
    this.#isSoon = true;
    this.#sendsBefore = this.#sends;
    SOON.add(this.#sendNow);
  }

  /** Sends it, and behind it what has arrived of the requests that come next. */
  send(): void {
    const next = this.#parts.next();
    if (this.#first === undefined && next === undefined) return;
    for (let piece = this.#first; piece !== undefined; piece = piece.next) {
      this.#stage(piece.bytes, piece.start, piece.end);
      this.#parts.kept.free(piece);
    }
    this.#first = this.#last = undefined;
    this.#bytes = 0;
    next?.pass(this.#stage, this.#free);
    STAGE.send(this.#deliver);
    this.#sends++;
  }

  /** The client is gone. */
  drop(): void {
    this.#isDropped = true;
    this.#first = this.#last = undefined;
  }

  readonly #sendNow = (): void => {
    this.#isSoon = false;
    if (this.#isDropped || this.#parts.isEmpty()) return;
    // what waits now has waited for less time
    if (this.#sends !== this.#sendsBefore) this.sendSoon();
    else this.send();
  };

  readonly #deliver = (bytes: Buffer): void => {
    // the client may have been cut for what it has not read
    if (!this.#isDropped) this.#parts.deliver(bytes);
  };

  readonly #stage = (bytes: Buffer, start: number, end: number): void => {
    STAGE.add(bytes, start, end, this.#deliver);
  };

  readonly #free = (piece: KeptBytes): void => {
    this.#parts.kept.free(piece);
  };

  #note(more: number): void {
    this.#bytes += more;
    if (this.#bytes > SENT_BYTES) this.send();
  }
}
