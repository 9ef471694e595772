import type { Clock } from "../../../core/base/clock.ts";
import type { Log } from "../../../core/base/log.ts";
import type { Credentials } from "../client/credentials.ts";
import type { ClientIdentity } from "../client/identity.ts";
import type { Counters } from "../limits/counters.ts";
import type { MemoryBudget } from "../limits/memory-budget.ts";
import type { ScanSources } from "../scan/sources.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import type { ReceiverOutcome, ReceiverQuestion } from "./receiver.ts";
import type { RememberedScripts } from "../upstream/script-cache.ts";

/** The endpoint, as a pinned session needs it. */
export interface PinnedEndpoint {
  readonly clock: Clock;
  readonly log: Log;
  readonly primary: PrimaryView;
  readonly credentials: Pick<Credentials, "turns">;
  readonly counters: Pick<Counters, "pins" | "requests" | "resent" | "answered" | "answeredLate">;
  readonly scripts: RememberedScripts;
  readonly scans: Pick<ScanSources, "route">;
  /** Whether a client may have a further connection to the engine for itself. */
  readonly mayPin: boolean;
  /** Of the process. */
  readonly memory: MemoryBudget;
}

/** What a pinned session needs of the session that it belongs to. */
export interface PinnedOwner {
  readonly endpoint: PinnedEndpoint;
  readonly identity: ClientIdentity;
  readonly invalidations: {
    /** Finds the connection of an engine that takes those for another client; does not reject. */
    find(question: ReceiverQuestion): Promise<ReceiverOutcome>;
  };
  /** The client does not read its replies as fast as they arrive. */
  readonly congested: boolean;
  /** The session ends as soon as it has nothing pending. */
  readonly finishing: boolean;
  readonly ended: boolean;
  /** Delivers replies, or parts of them, unless the client wants none. */
  deliver(bytes: Buffer): void;
  /** Delivers what was published or what came unasked: CLIENT REPLY does not concern it. */
  push(message: Buffer): void;
  /** Delivers one whole reply. */
  reply(reply: Buffer): void;
  /** Answers in the engine's place; false when earlier replies are missing. */
  answer(reply: Buffer): boolean;
  /** What the proxy answers to a request that no engine sees. */
  answerTo(request: Buffer): Promise<Buffer>;
  /** Takes no request until `work` is over; it must not reject. */
  waitFor(work: Promise<void>): void;
  /** Ends the client's connection at once. */
  cut(why: string): void;
  /** The session can share a lane again. */
  unpin(): void;
  /** Replies have arrived. */
  settled(): void;
  /** More requests can be taken. */
  pump(): void;
}
