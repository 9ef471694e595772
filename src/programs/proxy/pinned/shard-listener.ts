import type { CommandEntry } from "../protocol/table/entry.ts";
import { isMessage } from "../protocol/subscriptions.ts";
import type { Pin } from "../upstream/pin.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { Pinned } from "./pinned.ts";
import type { PinnedParts } from "./pinned-parts.ts";
import { routeTo } from "../upstream/only-route.ts";
import { partsAtTable } from "./shard-parts.ts";

/** Where a connection to a shard is. */
export interface ListenerPlace {
  /** Of the shard. */
  readonly shard: number;
  readonly pin: Pin;
  readonly upstream: Upstream;
}

/** Who gets what comes over a connection unasked. */
export interface ListenerOwner {
  /** A message that was published, or another one that came unasked. */
  readonly message: (frame: Buffer) => void;
  /** The connection is of no more use. */
  readonly left: () => void;
}

/** What the client is waiting for. */
interface Question {
  readonly request: Buffer;
  readonly command: CommandEntry;
  /** Replies that have not come. */
  left: number;
  isSent: boolean;
  readonly resolve: (reply: Buffer | undefined) => void;
}

/**
 * A connection to one of several shards over which a client gets messages; it goes on at the next primary of its shard as any pinned session, and stays when
 * the shard becomes one of another table.
 */
export class ShardListener {
  readonly pinned: Pinned;
  /** Of its shard: not its place, which is another one in another table. */
  readonly primary: PrimaryView;
  readonly #parts: PinnedParts;
  #owner: ListenerOwner;
  #question: Question | undefined;

  constructor(parts: PinnedParts, { shard, pin, upstream }: ListenerPlace, owner: ListenerOwner) {
    this.#parts = parts;
    this.#owner = owner;
    this.primary = routeTo(parts.endpoint, shard);
    const { scans } = parts.endpoint;
    const own = { table: undefined, routes: [this.primary], scans: [scans[shard] ?? scans[0]] } as const;
    this.pinned = new Pinned(partsAtTable(this.#ownParts, own), pin, upstream);
  }

  /** Who gets from now on what comes over it. */
  giveTo(owner: ListenerOwner): void {
    this.#owner = owner;
  }

  /** The parts of the session, but that what the connection answers comes here, and nothing else waits for it. */
  get #ownParts(): PinnedParts {
    const message = (frame: Buffer): void => {
      this.#owner.message(frame);
    };
    const { identity, life, endpoint, invalidations, output, turns } = this.#parts;
    const reply = (frame: Buffer): boolean => this.#replied(frame);
    return {
      identity,
      life,
      endpoint,
      invalidations,
      output: {
        get congested() {
          return output.congested;
        },
        // what a monitor is shown looks like replies
        deliver: (frame) => void (this.#question === undefined ? message(frame) : reply(frame)),
        reply,
        push: (frame) => void (isMessage(frame) ? message(frame) : reply(frame)),
      },
      turns: {
        answer: reply,
        answerTo: (request) => turns.answerTo(request),
        waitFor: (work) => void work,
        settled: () => {
          this.#goOn();
          turns.settled();
        },
        pump: () => void this.#goOn(),
      },
      work: { hasPending: false },
      shared: { hasPending: false, leaveLane: () => undefined, usableLane: () => undefined },
      pinned: {
        leave: () => {
          this.#owner.left();
          this.#settle(undefined);
        },
      },
    };
  }

  /** A reply is awaited: it stands behind the messages that have come before it, so they are to be read. */
  get isAsked(): boolean {
    return this.#question !== undefined;
  }

  /**
   * Sends a request that has so many replies, one after the other; resolves with the last of them, or the error; with undefined when the
   * connection was of no more use before it was sent.
   */
  ask(request: Buffer, command: CommandEntry, replies = 1): Promise<Buffer | undefined> {
    return new Promise((resolve) => {
      this.#question = { request, command, left: replies, isSent: false, resolve };
      this.pinned.resume();
      this.#goOn();
    });
  }

  /** Ends the connection: what was asked there gets no reply any more. */
  end(): void {
    this.pinned.dispose();
    if (!this.#parts.life.ended) this.#settle(undefined);
  }

  /** Sends what could not be sent before. */
  #goOn(): void {
    const question = this.#question;
    if (question === undefined || question.isSent || this.#parts.life.ended) return;
    question.isSent = true;
    question.isSent = this.pinned.take(question.request, question.command);
  }

  /** True, as what comes is taken. */
  #replied(frame: Buffer): boolean {
    const question = this.#question;
    if (question === undefined) return true;
    question.left = frame[0] === MINUS ? 0 : question.left - 1;
    if (question.left > 0) return true;
    // a copy: the engine's bytes are used again
    this.#settle(Buffer.from(frame));
    return true;
  }

  #settle(reply: Buffer | undefined): void {
    const question = this.#question;
    this.#question = undefined;
    question?.resolve(reply);
  }
}

const MINUS = 45;
