import type { ClientIdentity } from "./identity.ts";

/** What the client of one session is sent. */
export interface OutputPart {
  /** The client does not read its replies as fast as they arrive. */
  readonly congested: boolean;
  /** Delivers replies, or parts of them, unless the client wants none. */
  deliver(bytes: Buffer): void;
  /** Delivers what was published or what came unasked: CLIENT REPLY does not concern it. */
  push(message: Buffer): void;
  /** Delivers one whole reply. */
  reply(reply: Buffer): void;
}

/** How far one session is on its way from its first request to its end. */
export interface LifePart {
  /** Neither side has ended the connection. */
  readonly takesRequests: boolean;
  /** It ends as soon as it has nothing pending. */
  readonly finishing: boolean;
  /** The client sends nothing more. */
  readonly inputEnded: boolean;
  /** The client is gone. */
  readonly ended: boolean;
  /** Ends at the next boundary between requests. */
  finish(): void;
  /** Ends the client's connection at once. */
  cut(why: string): void;
}

/** The requests of one client, which are taken and answered in their order. */
export interface TurnsPart {
  /** Answers in the engine's place; false when earlier replies are missing. */
  answer(reply: Buffer): boolean;
  /** What the proxy answers to a request that no engine sees. */
  answerTo(request: Buffer): Promise<Buffer>;
  /** Takes no request until `work` is over; it must not reject. */
  waitFor(work: Promise<void>): void;
  /** Replies have arrived: nothing may be in flight any more. */
  settled(): void;
  /** More requests can be taken. */
  pump(): void;
}

/** The record of the parts of one session. Each part names those of it that it uses. */
export interface SessionParts {
  readonly identity: ClientIdentity;
  readonly output: OutputPart;
  readonly life: LifePart;
  readonly turns: TurnsPart;
  readonly work: {
    /** The client waits for a reply. */
    readonly hasPending: boolean;
  };
  /** The way of its requests through a lane. */
  readonly shared: {
    /** The client waits for a reply that comes this way. */
    readonly hasPending: boolean;
    /** The settings of the client have changed: it needs another lane. */
    leaveLane(): void;
    /** A lane that takes requests now; when there is none, it is dialled. */
    usableLane(): unknown;
  };
  /** The way of its requests through a connection of its own. */
  readonly pinned: {
    /** The session can share a lane again. */
    leave(): void;
  };
}
